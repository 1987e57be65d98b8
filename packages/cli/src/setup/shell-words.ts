/**
 * Quotes words for a POSIX shell.
 *
 * @module
 */
import { controlCharacters, oneLine } from "../terminal.js";

/**
 * Words as one line for a shell; undefined if a word has characters that nobody sees, because the user is asked
 * to paste the line.
 */
export function shellLine(words: readonly string[]): string | undefined {
  const isVisible = (word: string): boolean => controlCharacters(word) === 0 && oneLine(word) === word.trim();
  const shown = words.every((word) => isVisible(word) && !/[\n\t]/.test(word));
  return shown ? words.map(shellWord).join(" ") : undefined;
}

const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
