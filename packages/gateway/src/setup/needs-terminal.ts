/**
 * Decides which changes a page can make alone, and which need the user at the terminal.
 *
 * A page that an attacker controls must not be able to start a process (CVE-2025-49596), to read variables and
 * secrets by sending them to its own server, or to reach addresses of the private network.
 *
 * @module
 */
import { isDeepStrictEqual } from "node:util";
import { isPrivateHost } from "@vitrine/servers";
import { isObject } from "../config/reader.js";
import type { WrittenEntry } from "./setup-host.js";

const withoutDisabled = ({ disabled: _, ...rest }: WrittenEntry): WrittenEntry => rest;

/** Whether it can start a program: it has anything in place of a command. */
export const isProgram = (entry: WrittenEntry): boolean => entry["command"] !== undefined;

const sorted = (value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;

/** The parts of an entry that say what it does; whether it is used, and the order of keys, does not matter. */
export const substanceOf = (entry: WrittenEntry): string =>
  JSON.stringify(withoutDisabled(entry), (_, value: unknown) => sorted(value));

/** Facts about a change. */
export interface JudgedChange {
  /** The entry that the file has now. */
  readonly before: WrittenEntry | undefined;
  readonly after: WrittenEntry;
  /** References to secrets whose values came with the same request. */
  readonly fresh: ReadonlySet<string>;
  /** Whether this gateway has used exactly this server already. An entry in the file alone does not count. */
  wasUsed(entry: WrittenEntry): boolean;
  /** Whether a server in force has exactly this address. */
  isInForce(url: string): boolean;
}

/** Whether only the user at the terminal may allow a change. */
export function needsTerminal({ before, after, fresh, wasUsed, isInForce }: JudgedChange): boolean {
  const isSame = before !== undefined && substanceOf(before) === substanceOf(after);
  const isDisabled = after["disabled"] === true;
  if (isSame && (isDisabled || wasUsed(after))) return false;
  if (isProgram(after)) return true;
  // A server that was not in force is judged as if it were new: nobody may have seen it before.
  const known = before && (isDisabled || wasUsed(before)) ? before : undefined;
  return (
    isMovedCredential(before, after) ||
    isMovedTrust(before, after) ||
    hasForeignReference(known, after, fresh) ||
    namesTokenFile(known, after) ||
    isPrivate(known, after, isInForce)
  );
}

/** All texts in a value, with their paths. */
function textsIn(value: unknown, path = ""): [path: string, text: string][] {
  if (typeof value === "string") return [[path, value]];
  if (Array.isArray(value)) return value.flatMap((each, index) => textsIn(each, `${path}/${index}`));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, each]) => [
    ...textsIn(key, `${path}/${key}#`),
    ...textsIn(each, `${path}/${key}`),
  ]);
}

/** Whether a value that the page cannot read would go to another address. */
function isMovedCredential(before: WrittenEntry | undefined, after: WrittenEntry): boolean {
  if (!before || before["url"] === after["url"]) return false;
  const kept = textsIn({ headers: before["headers"], oauth: before["oauth"] }).filter(
    ([path]) => !path.endsWith("#"),
  );
  const now = new Map(textsIn({ headers: after["headers"], oauth: after["oauth"] }));
  return kept.some(([path, text]) => now.get(path) === text);
}

/** Settings that trust a server. The page neither shows nor sends them. */
const TRUST = ["policy", "permissions", "relax", "schemes", "roots"];

/** Whether another server would get the trust of the earlier one. */
function isMovedTrust(before: WrittenEntry | undefined, after: WrittenEntry): boolean {
  if (!before || originOf(before["url"]) === originOf(after["url"])) return false;
  return TRUST.some((key) => after[key] !== undefined);
}

/** The origin of an address; of anything else, the thing itself. */
const originOf = (url: unknown): unknown =>
  typeof url === "string" && URL.canParse(url) ? new URL(url).origin : url;

/** Whether it refers to a variable or a secret that it did not refer to at the same place before. */
function hasForeignReference(
  before: WrittenEntry | undefined,
  after: WrittenEntry,
  fresh: ReadonlySet<string>,
): boolean {
  const known = new Map(textsIn(before));
  return textsIn(after).some(
    ([path, text]) => text.includes("${") && !fresh.has(text) && known.get(path) !== text,
  );
}

/** Whether it would send the contents of a file somewhere from now on: an ID token of this machine. */
function namesTokenFile(before: WrittenEntry | undefined, after: WrittenEntry): boolean {
  const enterpriseIn = (entry: WrittenEntry | undefined): unknown =>
    isObject(entry?.["oauth"]) ? entry["oauth"]["enterprise"] : undefined;
  const enterprise = enterpriseIn(after);
  return enterprise !== undefined && !isDeepStrictEqual(enterpriseIn(before), enterprise);
}

/** Whether it may reach the private network from now on. */
function isPrivate(
  before: WrittenEntry | undefined,
  after: WrittenEntry,
  isInForce: (url: string) => boolean,
): boolean {
  const isAllowed = after["privateNetwork"] !== undefined && after["privateNetwork"] !== false;
  if (isAllowed && !isDeepStrictEqual(before?.["privateNetwork"], after["privateNetwork"])) return true;
  const url = String(after["url"]);
  if (before?.["url"] === url) return false;
  if (isAllowed) return true;
  const { hostname } = URL.canParse(url) ? new URL(url) : { hostname: "" };
  // Programs of this machine trust each other: loopback is no exception.
  return isPrivateHost(hostname) && !isInForce(url);
}
