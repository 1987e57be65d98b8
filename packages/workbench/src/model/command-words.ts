/**
 * A command and its arguments as one line of text, and back. No shell is involved: only quotes and backslashes
 * have a meaning.
 *
 * @module
 */

/** The words of a line; undefined if a quote is not closed. */
export function wordsOf(line: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < line.length; ) {
    const rest = line.slice(at);
    const [found = ""] = /^'[^']*'|^"(?:[^"\\]|\\[\s\S])*"|^\\[\s\S]|^\s+|^[^\s'"\\]+/.exec(rest) ?? [];
    if (found === "") return undefined;
    at += found.length;
    if (/^\s/.test(found)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (found.startsWith("'")) word = (word ?? "") + found.slice(1, -1);
    else if (found.startsWith('"')) word = (word ?? "") + found.slice(1, -1).replace(/\\(["\\])/g, "$1");
    else word = (word ?? "") + (found.startsWith("\\") ? found.slice(1) : found);
  }
  return word === undefined ? words : [...words, word];
}

/** Words as a line that {@link wordsOf} reads. */
export const lineOf = (words: readonly string[]): string =>
  words.map((word) => (/^[^\s'"\\]+$/.test(word) ? word : `"${word.replace(/["\\]/g, "\\$&")}"`)).join(" ");
