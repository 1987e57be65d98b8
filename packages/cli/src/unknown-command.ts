/**
 * A first word that is no command: what was probably meant.
 *
 * @module
 */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Surroundings } from "./config-places.js";
import { DEMOS } from "./demos/index.js";
import { type CliError, usage } from "./exit.js";
import { onPath } from "./program-path.js";

/** A word as it must be typed. */
const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** An address, a path, a command in quotes, a file or folder that is there, a demo. */
const isLikeServer = (word: string, cwd: string): boolean =>
  /[\s/\\]/.test(word) || existsSync(resolve(cwd, word)) || DEMOS.some(({ name }) => name === word);

/**
 * Says it. Most people who forget the command name a server, and mean `dev`.
 *
 * @param near the command whose name is like the word
 */
export async function unknownCommand(
  words: readonly string[],
  near: string | undefined,
  at: Pick<Surroundings, "cwd" | "env">,
): Promise<CliError> {
  const [first = "", ...rest] = words;
  const meant = async (): Promise<string> => {
    const typed = words.map(quoted).join(" ");
    if (isLikeServer(first, at.cwd)) return `did you mean vitrine dev ${typed}?`;
    if (near !== undefined) return `did you mean ${["vitrine", near, ...rest.map(quoted)].join(" ")}?`;
    if (rest.length > 0 && (await onPath(first, at))) return `did you mean vitrine dev ${quoted(typed)}?`;
    return `vitrine --help lists them, and vitrine dev ${typed} opens a server of that name`;
  };
  return usage(`there is no command "${first}"; ${await meant()}`);
}
