/**
 * Where the source of a server is.
 *
 * @module
 */
import { realpath } from "node:fs/promises";
import { dirname, resolve, sep } from "node:path";
import type { ServerSettings } from "@vitrine/servers";
import { isFile } from "./folder-server.js";

/** What a server is made of. */
export interface ServerSource {
  /** The folder to watch. */
  readonly folder: string;
  /** What is started. */
  readonly script: string;
}

/**
 * Where to look for changes. The folder is the one that the server starts in, if it is not simply this terminal's and the script
 * is in it; else the script's own. None for a program that is installed, or elsewhere.
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
    // A program on the PATH, Node above all, is no script.
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
