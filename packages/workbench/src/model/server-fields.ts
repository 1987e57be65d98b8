/**
 * The fields of the form for a server, as the user edits them.
 *
 * @module
 */
import type { DraftIsolation, DraftValue, ServerDraft, WrittenServer, WrittenValue } from "@vitrine/wire";
import { lineOf, wordsOf } from "./command-words.js";

/** A variable or a header. */
export interface ValueRow {
  readonly id: number;
  readonly name: string;
  readonly value: string;
  readonly isSecret: boolean;
  /** How the file has its value, which the page does not know. */
  readonly kept?: WrittenValue | undefined;
}

/** Isolation as fields. */
export interface IsolationFields {
  /** Empty: as the settings say. */
  readonly driver: "" | NonNullable<DraftIsolation["driver"]>;
  readonly network: boolean;
  /** A path per line. */
  readonly read: string;
  readonly write: string;
  readonly image: string;
}

/** All fields. */
export interface ServerFields {
  readonly kind: "address" | "command";
  readonly name: string;
  readonly url: string;
  readonly isSse: boolean;
  readonly isPrivate: boolean;
  readonly headers: readonly ValueRow[];
  /** The command with its arguments. */
  readonly line: string;
  readonly cwd: string;
  readonly env: readonly ValueRow[];
  readonly isolation: IsolationFields;
}

let lastRow = 0;

/** A new row, which has an identity of its own while it is edited. */
export const valueRow = (row: Partial<ValueRow> = {}): ValueRow => ({
  name: "",
  value: "",
  isSecret: true,
  ...row,
  id: ++lastRow,
});

/** The fields of a new server, or of one in the file. */
export function fieldsOf(kind: ServerFields["kind"], server?: WrittenServer): ServerFields {
  const rows = (values: Record<string, WrittenValue> = {}): ValueRow[] =>
    Object.entries(values).map(([name, kept]) => valueRow({ name, kept, isSecret: kept === "secret" }));
  const { driver = "", network = false, read = [], write = [], image = "" } = server?.isolation ?? {};
  return {
    kind,
    name: server?.name ?? "",
    url: server?.url ?? "",
    isSse: server?.type === "sse",
    isPrivate: server?.privateNetwork ?? false,
    headers: rows(server?.headers),
    line: server?.command === undefined ? "" : lineOf([server.command, ...(server.args ?? [])]),
    cwd: server?.cwd ?? "",
    env: rows(server?.env),
    isolation: { driver, network, read: read.join("\n"), write: write.join("\n"), image },
  };
}

/** Programs that run another one: their first plain argument names the server. */
const LAUNCHERS = /^(npx|bunx|uvx|pnpm|yarn|bun|deno|uv|node|python3?|docker|podman)$/;
const ACTIONS = /^(run|exec|dlx|x)$/;
/** Files and folders that many servers have: the name is in the folder above. */
const USUAL = /^((index|main|cli|server)\.(m?js|cjs|py|ts)|dist|build|out|lib|src|bin)$/;

/** The last part of a path or a package that tells servers apart, without a version. */
function lastPart(text: string): string {
  const parts = text
    .replace(/(?<=[^/])@[^/@]*$/, "")
    .split("/")
    .filter((each) => !/^\.*$/.test(each));
  return parts.findLast((each) => !USUAL.test(each)) ?? parts.at(-1) ?? "";
}

/** A name that fits the address or the command. */
export function suggestedName({ kind, url, line }: Pick<ServerFields, "kind" | "url" | "line">): string {
  const [command = "", ...args] = wordsOf(line) ?? [];
  const isLauncher = LAUNCHERS.test(command.replace(/^.*\//, ""));
  const named = isLauncher ? args.find((each) => !each.startsWith("-") && !ACTIONS.test(each)) : undefined;
  const host = URL.canParse(url) ? new URL(url).hostname : "";
  const base = kind === "address" ? host.replace(/^(www|mcp|api)\./, "") : lastPart(named ?? command);
  return base
    .replace(/\.(m?js|cjs|py|ts)$/, "")
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .slice(0, 64);
}

/** The draft of the fields; a text says what is missing. */
export function draftOf(fields: ServerFields): ServerDraft | string {
  if (fields.kind === "address") {
    if (fields.url.trim() === "") return "Enter the address of the server.";
    return {
      url: fields.url.trim(),
      headers: valuesOf(fields.headers),
      ...(fields.isSse && { type: "sse" }),
      ...(fields.isPrivate && { privateNetwork: true }),
    };
  }
  const words = wordsOf(fields.line);
  if (!words) return "Close all quotes of the command.";
  const [command, ...args] = words;
  if (!command) return "Enter the command that starts the server.";
  const { driver, network, read, write, image } = fields.isolation;
  const isolation: DraftIsolation = {
    driver: driver === "" ? undefined : driver,
    network: network || undefined,
    read: pathsIn(read),
    write: pathsIn(write),
    image: image.trim() || undefined,
  };
  return {
    command,
    args,
    env: valuesOf(fields.env),
    ...(fields.cwd.trim() && { cwd: fields.cwd.trim() }),
    ...(Object.values(isolation).some((value) => value !== undefined && `${value}` !== "") && { isolation }),
  };
}

const pathsIn = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

function valuesOf(rows: readonly ValueRow[]): Record<string, DraftValue> {
  return Object.fromEntries(
    rows
      .filter(({ name }) => name.trim() !== "")
      .map(({ name, value, isSecret, kept }): [string, DraftValue] => [
        name.trim(),
        kept !== undefined && value === "" ? { keep: true } : isSecret ? { secret: value } : { text: value },
      ]),
  );
}
