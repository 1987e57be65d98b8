/**
 * The servers of a settings file, as they are written there.
 *
 * @module
 */
import { createHash } from "node:crypto";
import type { DraftIsolation, WrittenServer, WrittenValue } from "@vitrine/wire";
import type { SettingsPath } from "../config/edit-settings.js";
import { parseJson } from "../config/json.js";
import { isObject } from "../config/reader.js";
import type { WrittenEntry } from "./setup-host.js";

const HOLDERS = ["mcpServers", "servers"] as const;

/** An entry with its path. */
export interface PlacedEntry {
  readonly name: string;
  readonly path: SettingsPath;
  readonly entry: WrittenEntry;
}

/** All servers of a text. */
export function entriesOf(text: string): PlacedEntry[] {
  const whole = text.trim() === "" ? {} : parseJson(text);
  if (!isObject(whole)) return [];
  return HOLDERS.flatMap((holder) => {
    const held = whole[holder];
    return Object.entries(isObject(held) ? held : {}).map(([name, entry]) => ({
      name,
      path: [holder, name],
      entry: isObject(entry) ? entry : {},
    }));
  });
}

export const entryIn = (text: string, name: string): PlacedEntry | undefined =>
  entriesOf(text).find((each) => each.name === name);

/** Where a new server belongs: beside the others. */
export function placeFor(text: string, name: string): SettingsPath {
  const holders = new Set(entriesOf(text).map(({ path }) => path[0]));
  return [holders.has("servers") && !holders.has("mcpServers") ? "servers" : "mcpServers", name];
}

/** Identifies an entry; a missing one has a version too. */
export const versionOf = (entry: WrittenEntry | undefined): string =>
  createHash("sha256")
    .update(JSON.stringify(entry ?? null))
    .digest("hex")
    .slice(0, 32);

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
const textsOf = (value: unknown): string[] | undefined =>
  Array.isArray(value) ? value.map((each) => String(each)) : undefined;

/** An entry for a page, without the values of variables and headers. */
export function writtenServer(name: string, entry: WrittenEntry): WrittenServer {
  const { command, args, cwd, url, type, privateNetwork } = entry;
  return {
    name,
    version: versionOf(entry),
    disabled: entry["disabled"] === true,
    command: textOf(command),
    args: textsOf(args),
    cwd: textOf(cwd),
    env: kindsOf(entry["env"]),
    isolation: isolationOf(entry["isolation"]),
    url: textOf(url),
    type: type === "sse" ? "sse" : undefined,
    headers: kindsOf(entry["headers"]),
    privateNetwork: privateNetwork === true ? true : undefined,
  };
}

function kindsOf(values: unknown): Record<string, WrittenValue> | undefined {
  if (!isObject(values)) return undefined;
  const kind = (value: unknown): WrittenValue =>
    /^\$\{secret:[^}]*\}$/.test(String(value))
      ? "secret"
      : String(value).includes("${")
        ? "reference"
        : "text";
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, kind(value)]));
}

const DRIVERS = ["auto", "process", "bubblewrap", "container"] as const;

function isolationOf(written: unknown): DraftIsolation | undefined {
  if (written === undefined) return undefined;
  const { driver, network, read, write, image } = isObject(written) ? written : { driver: written };
  return {
    driver: DRIVERS.find((each) => each === driver),
    network: typeof network === "boolean" ? network : undefined,
    read: textsOf(read),
    write: textsOf(write),
    image: textOf(image),
  };
}
