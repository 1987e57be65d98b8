/**
 * `vitrine add`, `vitrine remove` and `vitrine list`: the servers of the settings file.
 *
 * @module
 */
import { resolve } from "node:path";
import {
  changeSettingsFile,
  entriesOf,
  readSettings,
  type SettingsChange,
  startingIn,
  type WrittenEntry,
} from "@vitrine/gateway";
import { personalOptions } from "../config.js";
import { isOfClient, isPersonal, ownFile, type Surroundings, surroundings } from "../config-places.js";
import { CliError, EXIT, usage } from "../exit.js";
import { addLine, DESCRIBED, type EntryOptions, entryOfLine } from "../setup/add-line.js";
import { ownCommand } from "../setup/own-command.js";
import type { Terminal } from "../terminal.js";
import { contentLines } from "../trust/file-content.js";
import { FileTrust } from "../trust/file-trust.js";

/** Options of all three commands. */
export interface FileOptions {
  readonly config?: string | undefined;
  readonly json?: boolean | undefined;
}

/** Options of {@link addCommand}. */
export interface AddOptions extends FileOptions, EntryOptions {
  /** Replace a server of this name. */
  readonly replace?: boolean | undefined;
}

/** Problems that the process which runs the server may not have. */
const ELSEWHERE = /is not set|there is no secret/;

/** Adds a server to the settings file. */
export async function addCommand(
  name: string,
  words: readonly string[],
  options: AddOptions,
  terminal: Terminal,
): Promise<number> {
  const at = surroundings();
  const file = fileOf(options, at);
  const line = entryOfLine(words, {
    ...options,
    // Relative to this folder, not to that of the file.
    ...(options.cwd !== undefined && { cwd: resolve(at.cwd, options.cwd) }),
    ...(options.read && { read: options.read.map((path) => resolve(at.cwd, path)) }),
    ...(options.write && { write: options.write.map((path) => resolve(at.cwd, path)) }),
  });
  const given = startingIn(at.cwd, file, line);
  await check(name, given, options, at, terminal);
  await change(file, at, terminal, (text) => {
    const known = entriesOf(text);
    const before = known.find((each) => each.name === name);
    if (before && !options.replace)
      throw new CliError(
        "server-exists",
        `${file} has a server ${name} already: choose another name, or add --replace`,
      );
    const holder = known.some(({ path }) => path[0] === "mcpServers")
      ? "mcpServers"
      : (known[0]?.path[0] ?? "mcpServers");
    const kept = Object.entries(before?.entry ?? {}).filter(([key]) => !DESCRIBED.includes(key));
    return [{ path: before?.path ?? [holder, name], value: { ...given, ...Object.fromEntries(kept) } }];
  });
  if (options.json) terminal.json({ file, name });
  else terminal.print(`${terminal.green("✓")} ${name} is in ${file}. A running Vitrine uses it at once.`);
  return EXIT.ok;
}

/** Removes a server from the settings file. */
export async function removeCommand(name: string, options: FileOptions, terminal: Terminal): Promise<number> {
  const at = surroundings();
  const file = fileOf(options, at);
  await change(file, at, terminal, (text) => {
    const found = entriesOf(text).find((each) => each.name === name);
    if (!found)
      throw new CliError("server-unknown", `${file} has no server ${name}; vitrine list shows them`);
    return [{ path: found.path, value: undefined }];
  });
  if (options.json) terminal.json({ file, name });
  else terminal.print(`${terminal.green("✓")} ${name} is not in ${file} any more.`);
  return EXIT.ok;
}

/** Lists the servers of the settings file, as they are written there. */
export async function listCommand(options: FileOptions, terminal: Terminal): Promise<number> {
  const at = surroundings();
  const file = fileOf(options, at);
  const { readFile } = await import("node:fs/promises");
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    if (Object(error).code === "ENOENT") return "";
    throw error;
  });
  const servers = entriesOf(text);
  if (options.json) {
    const shown = servers.map(({ name, entry }) => ({
      name,
      kind: entry["url"] === undefined ? "command" : "address",
      disabled: entry["disabled"] === true,
      add: addLine(name, withoutValues(entry), { own: ownCommand(at) }),
    }));
    terminal.json({ file, servers: shown });
    return EXIT.ok;
  }
  terminal.note(terminal.dim(`settings: ${file}`, "err"));
  if (servers.length === 0)
    terminal.note(`it has no servers: ${ownCommand(at).words.join(" ")} add adds one`);
  for (const { name, entry } of servers) {
    const { command, args, url } = entry;
    const [line = name] = contentLines({ mcpServers: { [name]: { command, args, url } } });
    terminal.print(`${line}${entry["disabled"] === true ? terminal.dim("  (disabled)") : ""}`);
  }
  return EXIT.ok;
}

/** Values of variables and headers may be secrets: a list names them only. */
function withoutValues(entry: WrittenEntry): WrittenEntry {
  const named = (values: unknown): unknown =>
    typeof values === "object" && values !== null
      ? Object.fromEntries(Object.keys(values).map((key) => [key, "…"]))
      : values;
  const { env, headers, ...rest } = entry;
  return {
    ...rest,
    ...(env !== undefined && { env: named(env) }),
    ...(headers !== undefined && { headers: named(headers) }),
  };
}

/** The file to change: of `--config`, or the user's own. */
function fileOf({ config }: FileOptions, at: Surroundings): string {
  const file = config === undefined ? ownFile(at) : resolve(at.cwd, config);
  if (isOfClient(file, at))
    throw usage(`${file} belongs to another program: name another file with --config`);
  return file;
}

/** Changes a file. If the user has approved its text, they approve their own change too. */
async function change(
  file: string,
  at: Surroundings,
  terminal: Terminal,
  changes: (text: string) => readonly SettingsChange[],
): Promise<void> {
  const trust = isPersonal(file, at) ? undefined : new FileTrust({ terminal, at });
  let isApproved = false;
  const text = await changeSettingsFile(file, async (before) => {
    isApproved = trust !== undefined && before !== "" && (await trust.isApproved(file, before));
    return changes(before);
  });
  if (isApproved) await trust?.accept(file, text);
}

/** @throws {CliError} `config-invalid` */
async function check(
  name: string,
  entry: WrittenEntry,
  options: AddOptions,
  at: Surroundings,
  terminal: Terminal,
): Promise<void> {
  const problems: string[] = [];
  const written = JSON.stringify({ mcpServers: { [name]: entry } });
  const { repeat: _, ...reading } = personalOptions(options, at, undefined);
  await readSettings(written, {
    ...reading,
    onskip: ({ problem }) => problems.push(problem.replace(/^line \d+: /, "")),
  });
  const own = problems.filter((problem) => !ELSEWHERE.test(problem));
  if (own.length > 0) throw new CliError("config-invalid", own.join("\n"), { exit: EXIT.usage });
  for (const problem of problems) terminal.note(terminal.dim(problem, "err"));
}
