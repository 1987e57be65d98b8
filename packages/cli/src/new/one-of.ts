/**
 * A word of a few that can be written.
 *
 * @module
 */
import { closest } from "@vitrine/servers/support";
import { usage } from "../exit.js";

/**
 * The word, if it is one of them.
 *
 * @throws {CliError} `usage`, with those that there are, and the one that was probably meant
 */
export function oneOf(word: string, words: readonly string[], what: string): string {
  if (words.includes(word)) return word;
  throw usage(
    `there is no ${what} ${JSON.stringify(word)}: write one of ${words.join(", ")}${closest(word, words)}`,
  );
}
