/**
 * A word of a few that can be written.
 *
 * @module
 */
import { usage } from "../exit.js";

/**
 * The word, if it is one of them.
 *
 * @throws {CliError} `usage`, with those that there are, and the one that was probably meant
 */
export async function oneOf(word: string, words: readonly string[], what: string): Promise<string> {
  if (words.includes(word)) return word;
  // All of the gateway for a guess: only when it is needed.
  const { closest } = await import("@vitrine/gateway");
  throw usage(
    `there is no ${what} ${JSON.stringify(word)}: write one of ${words.join(", ")}${closest(word, words)}`,
  );
}
