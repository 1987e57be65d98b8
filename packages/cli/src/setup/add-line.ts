/**
 * The `vitrine add` line of a server, and back.
 *
 * @module
 */
import type { WrittenEntry } from "@vitrine/gateway";
import { usage } from "../exit.js";
import type { OwnCommand } from "./own-command.js";
import { shellLine } from "./shell-words.js";

/** Options of `vitrine add` that describe the server. */
export interface EntryOptions {
  /** `NAME=VALUE`, or `NAME` for the variable of the process that runs Vitrine. */
  readonly env?: readonly string[] | undefined;
  /** `Name: value`. */
  readonly header?: readonly string[] | undefined;
  readonly cwd?: string | undefined;
  readonly isolation?: string | undefined;
  readonly image?: string | undefined;
  readonly network?: boolean | undefined;
  readonly read?: readonly string[] | undefined;
  readonly write?: readonly string[] | undefined;
  readonly sse?: boolean | undefined;
  readonly privateNetwork?: boolean | undefined;
}

type Values = Readonly<Record<string, unknown>>;

const isValues = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Keys of an entry that the options describe: `--replace` leaves all others as they are. */
export const DESCRIBED = [
  "command",
  "args",
  "env",
  "cwd",
  "isolation",
  "url",
  "type",
  "headers",
  "privateNetwork",
  "disabled",
];

/**
 * The entry of a command line: an address, or a command with its arguments.
 *
 * @throws {CliError} `usage`
 */
export function entryOfLine(words: readonly string[], options: EntryOptions): WrittenEntry {
  const [first, ...rest] = words;
  if (first === undefined)
    throw usage("add: give an address, or a command after --: vitrine add files -- npx -y server --stdio");
  const isAddress = rest.length === 0 && /^https?:\/\//i.test(first);
  const { env, header, cwd, sse, privateNetwork } = options;
  const isolation = isolationOf(options);
  if (isAddress) {
    if (env || cwd !== undefined || isolation)
      throw usage("add: --env, --cwd and isolation are for commands, and this is an address");
    return {
      url: first,
      ...(sse && { type: "sse" }),
      ...(header && { headers: Object.fromEntries(header.map(headerOf)) }),
      ...(privateNetwork && { privateNetwork }),
    };
  }
  if (header || sse || privateNetwork)
    throw usage("add: --header, --sse and --private-network are for addresses, and this is a command");
  return {
    command: first,
    ...(rest.length > 0 && { args: rest }),
    ...(cwd !== undefined && { cwd }),
    ...(env && { env: Object.fromEntries(env.map(variableOf)) }),
    ...(isolation && { isolation }),
  };
}

function isolationOf({ isolation, image, network, read, write }: EntryOptions): Values | undefined {
  const given = {
    ...(isolation !== undefined && { driver: isolation }),
    ...(image !== undefined && { image }),
    ...(network !== undefined && { network }),
    ...(read && { read }),
    ...(write && { write }),
  };
  return Object.keys(given).length > 0 ? given : undefined;
}

function variableOf(word: string): [string, string] {
  const [, name = "", value] = /^([A-Za-z_][A-Za-z0-9_]*)(?:=([\s\S]*))?$/.exec(word) ?? [];
  if (!name) throw usage("--env: write NAME=VALUE, or NAME for a variable of the terminal that runs Vitrine");
  return [name, value ?? `\${${name}}`];
}

function headerOf(word: string): [string, string] {
  const [, name = "", value = ""] = /^([^:\s]+):\s*([\s\S]*)$/.exec(word) ?? [];
  if (!name) throw usage("--header: write 'Name: value'");
  return [name, value];
}

/** Options of {@link addLine}. */
export interface AddLineOptions {
  readonly config?: string | undefined;
  readonly replaces?: boolean | undefined;
  /** The command that runs Vitrine; `vitrine` if absent. */
  readonly own?: OwnCommand | undefined;
}

/**
 * The `vitrine add` line that writes an entry. Undefined if a line cannot say it all, or has characters that
 * nobody sees.
 */
export function addLine(
  name: string,
  entry: WrittenEntry,
  { config, replaces = false, own = { words: ["vitrine"] } }: AddLineOptions,
): string | undefined {
  const { command, args, env, cwd, isolation, url, type, headers, privateNetwork } = entry;
  const rest = Object.keys(entry).filter((key) => !DESCRIBED.includes(key));
  const written = typeof isolation === "string" ? { driver: isolation } : isolation;
  const { driver, image, network, read, write, ...more } = isValues(written) ? written : {};
  if ((!replaces && rest.length > 0) || Object.keys(more).length > 0) return undefined;
  const many = (option: string, values: unknown, joint: string): string[] =>
    Object.entries(isValues(values) ? values : {}).flatMap(([key, value]) => [
      option,
      `${key}${joint}${value}`,
    ]);
  const list = (option: string, values: unknown): string[] =>
    Array.isArray(values) ? values.flatMap((value) => [option, `${value}`]) : [];
  const one = (option: string, value: unknown): string[] => (value === undefined ? [] : [option, `${value}`]);
  const flag = (option: string, value: unknown): string[] => (value === true ? [option] : []);
  const line = shellLine([
    ...own.words,
    "add",
    ...flag("--replace", replaces),
    ...one("--config", config),
    ...many("--env", env, "="),
    ...many("--header", headers, ": "),
    ...one("--cwd", cwd),
    ...one("--isolation", driver),
    ...one("--image", image),
    ...(network === false ? ["--no-network"] : flag("--network", network)),
    ...list("--read", read),
    ...list("--write", write),
    ...flag("--sse", type === "sse"),
    ...flag("--private-network", privateNetwork),
    name,
    ...(url === undefined
      ? ["--", `${command}`, ...(Array.isArray(args) ? args.map(String) : [])]
      : [`${url}`]),
  ]);
  if (line === undefined || own.folder === undefined) return line;
  const move = shellLine(["cd", own.folder]);
  return move && `${move} && ${line}`;
}
