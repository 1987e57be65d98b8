/**
 * Suggests the word that a user may have meant.
 *
 * @module
 */

/** The edit distance: letters to add, remove or change. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const changed = (row[j] ?? 0) + (letter === b[j] ? 0 : 1);
      next.push(Math.min(changed, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** `did you mean "…"?` for the nearest word; undefined if none is near. */
export function meant(word: string, words: readonly string[]): string | undefined {
  if (word.length > 64) return undefined;
  const [best] = words
    .map((each) => ({ each, far: distance(word.toLowerCase(), each.toLowerCase()) }))
    .filter(({ each, far }) => far <= Math.ceil(each.length / 3))
    .sort((a, b) => a.far - b.far);
  return best && `did you mean "${best.each}"?`;
}

/** Appends the suggestion to a sentence, or returns it unchanged if no word is close. */
export function closest(word: string, words: readonly string[]): string {
  const hint = meant(word, words);
  return hint === undefined ? "" : `; ${hint}`;
}
