/**
 * Suggestions for an unknown command.
 *
 * @module
 */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Surroundings } from "./config-places.js";
import { DEMOS } from "./demos.js";
import { type CliError, usage } from "./exit.js";
import { onPath } from "./program-path.js";

/** Quotes a word for a shell. */
const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/**
 * Whether a word looks like a server: a URL, a path, a command in quotes, an existing file or folder, a demo.
 */
const isLikeServer = (word: string, cwd: string): boolean =>
  /[\s/\\]/.test(word) || existsSync(resolve(cwd, word)) || DEMOS.some(({ name }) => name === word);

/**
 * Creates the error. A forgotten command is usually `dev`.
 *
 * @param near a command with a similar name
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
