/**
 * Turns what a page sends into what the settings file gets.
 *
 * @module
 */
import { randomBytes } from "node:crypto";
import type { DraftValue, ServerDraft } from "@vitrine/wire";
import { isObject } from "../config/reader.js";
import type { WrittenEntry } from "./setup-host.js";

/** Secrets to store before the file refers to them, by name. */
export type NewSecrets = Map<string, string>;

/** Keys that a draft replaces. All others stay as the file has them. */
const OF_PROGRAM = ["command", "args", "cwd", "env"] as const;
const OF_ADDRESS = ["url", "headers", "type", "privateNetwork"] as const;
const ISOLATION = ["driver", "network", "read", "write", "image"] as const;

/**
 * A new name for the secret of a setting. Its random end keeps it from being the name of another one: `a.b` and
 * `c` are not `a` and `b.c`.
 */
export const secretNameFor = (server: string, key: string): string =>
  `${server.slice(0, 24)}.${key.replace(/[^A-Za-z0-9_-]/g, "-").slice(0, 26)}.${randomBytes(6).toString("hex")}`;

export const referenceTo = (secret: string): string => `\${secret:${secret}}`;

/** The names of secrets in an entry that {@link secretNameFor} made for this server. */
export function ownSecrets(server: string, entry: WrittenEntry | undefined): string[] {
  const found = JSON.stringify(entry ?? {}).matchAll(/\$\{secret:([^}"]+)\}/g);
  const isOwn = (name: string): boolean =>
    name.startsWith(`${server.slice(0, 24)}.`) && /\.[0-9a-f]{12}$/.test(name);
  return [...found].flatMap(([, name]) => (name !== undefined && isOwn(name) ? [name] : []));
}

/** The entry of a draft. Values that the page keeps come from `before`. */
export function entryOf(
  server: string,
  draft: ServerDraft,
  before: WrittenEntry | undefined,
  secrets: NewSecrets,
): WrittenEntry {
  const entry: Record<string, unknown> = { ...before };
  const isProgram = draft.command !== undefined;
  for (const key of [...OF_PROGRAM, ...OF_ADDRESS]) delete entry[key];
  if (!isProgram) delete entry["isolation"];
  else delete entry["oauth"];
  const values = (key: "env" | "headers", drafts: Record<string, DraftValue>): void => {
    if (Object.keys(drafts).length > 0) entry[key] = valuesOf(server, drafts, before?.[key], secrets);
  };
  if (isProgram) {
    entry["command"] = draft.command;
    if (draft.args?.length) entry["args"] = draft.args;
    if (draft.cwd) entry["cwd"] = draft.cwd;
    values("env", draft.env ?? {});
    const isolation = isolationOf(draft, before?.["isolation"]);
    if (isolation === undefined) delete entry["isolation"];
    else entry["isolation"] = isolation;
  }
  if (draft.url !== undefined) {
    entry["url"] = draft.url;
    if (draft.type === "sse") entry["type"] = draft.type;
    values("headers", draft.headers ?? {});
    if (draft.privateNetwork) entry["privateNetwork"] = true;
  }
  return entry;
}

function valuesOf(
  server: string,
  drafts: Readonly<Record<string, DraftValue>>,
  before: unknown,
  secrets: NewSecrets,
): Record<string, unknown> {
  const written: [string, unknown][] = Object.entries(drafts).flatMap(([name, value]) => {
    if ("text" in value && value.text !== undefined) return [[name, value.text]];
    // A value that is gone cannot be kept.
    if (!("secret" in value) || value.secret === undefined)
      return isObject(before) && Object.hasOwn(before, name) ? [[name, before[name]]] : [];
    const secret = secretNameFor(server, name);
    secrets.set(secret, value.secret);
    return [[name, referenceTo(secret)]];
  });
  return Object.fromEntries(written);
}

/** Keys that a page does not show, such as limits, stay. */
function isolationOf({ isolation }: ServerDraft, before: unknown): WrittenEntry | undefined {
  if (!isolation) return undefined;
  const kept: Record<string, unknown> = isObject(before) ? { ...before } : {};
  for (const key of ISOLATION) {
    const value = isolation[key];
    const isEmpty = value === undefined || (Array.isArray(value) && value.length === 0);
    if (isEmpty) delete kept[key];
    else kept[key] = value;
  }
  return Object.keys(kept).length > 0 ? kept : undefined;
}
