/**
 * Where the source of a server is.
 *
 * @module
 */
import { realpath } from "node:fs/promises";
import { dirname, resolve, sep } from "node:path";
import type { ServerSettings } from "@vitrine/gateway";
import { isFile } from "./folder-server.js";

/**
 * The folder to watch for changes: the one that the server starts in, if it is not simply this terminal's and the script
 * is in it; else the script's own. None for a program that is installed, or elsewhere.
 */
export async function sourceFolder(
  { transport }: Pick<ServerSettings, "transport">,
  here: string,
): Promise<string | undefined> {
  if (transport.type !== "stdio") return undefined;
  const { command, args, cwd = here } = transport;
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
    return isOwn ? start : dirname(script);
  }
  return undefined;
}
