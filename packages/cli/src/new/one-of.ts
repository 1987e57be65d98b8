/**
 * Checks a word against a list.
 *
 * @module
 */
import { closest } from "@vitrine/servers/support";
import { usage } from "../exit.js";

/**
 * Returns the word if it is in the list.
 *
 * @throws {CliError} `usage`, with the list and the closest match
 */
export function oneOf(word: string, words: readonly string[], what: string): string {
  if (words.includes(word)) return word;
  throw usage(
    `there is no ${what} ${JSON.stringify(word)}: use one of ${words.join(", ")}${closest(word, words)}`,
  );
}
