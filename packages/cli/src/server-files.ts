/**
 * Locates the source files of a server.
 *
 * @module
 */
import { realpath } from "node:fs/promises";
import { dirname, extname, resolve, sep } from "node:path";
import type { ServerSettings } from "@vitrine/servers";
import { isFile } from "./folder-server.js";

/** Extensions of source files. Not `.json` and similar: a server may write those itself. */
const SOURCES = new Set(
  ".js .mjs .cjs .jsx .ts .mts .cts .tsx .html .htm .css .svg .vue .svelte .py .rb .php .lua .go .rs .java .kt .cs .sh .wasm".split(
    " ",
  ),
);

/** Whether a file is a source file, by its name. */
export const isSource = (file: string): boolean => SOURCES.has(extname(file).toLowerCase());

/** The source of a server. */
export interface ServerSource {
  /** The folder to watch. */
  readonly folder: string;
  /** The started script. */
  readonly script: string;
}

/**
 * Finds the folder to watch: the server's working folder, if it is not this terminal's and contains the
 * script; otherwise the script's folder. None for an installed or external program.
 */
export async function sourceOf(
  { transport }: Pick<ServerSettings, "transport">,
  here: string,
): Promise<ServerSource | undefined> {
  if (transport.type !== "stdio") return undefined;
  const { command, args, folder, cwd = folder } = transport;
  for (const word of [command, ...args]) {
    if (word.startsWith("-") || !/[./\\]/.test(word)) continue;
    const path = resolve(cwd, word);
    // A program on the PATH, usually Node, is not a script.
    if (word === command && !/\.\w+$/.test(word) && !path.startsWith(cwd + sep)) continue;
    if (!(await isFile(path))) continue;
    const script = await realpath(path);
    if (script.includes(`${sep}node_modules${sep}`)) return undefined;
    const start = await realpath(cwd);
    const isOwn = start !== (await realpath(here)) && script.startsWith(start + sep);
    return { folder: isOwn ? start : dirname(script), script: path };
  }
  return undefined;
}
