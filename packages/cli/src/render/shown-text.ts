/**
 * Compares the text of an app with its recording. Tolerant: times, counters and single words may differ.
 *
 * @module
 */

/** Minimum fraction of equal words. */
const LEAST = 0.5;
/** Maximum characters of a quoted text. */
const MOST = 80;

/** The difference as a sentence; undefined if the texts are similar. */
export function textDifference(then: string, now: string): string | undefined {
  const alike = likeness(wordsOf(then), wordsOf(now));
  if (alike >= LEAST) return undefined;
  return `The app shows other text: ${Math.round(alike * 100)} % of the words are the same; it was ${short(then)} and is ${short(now)}.`;
}

const segmenter = new Intl.Segmenter("en", { granularity: "word" });

/** The words of a text with their counts. All numbers count as the same word. */
function wordsOf(text: string): Map<string, number> {
  const words = new Map<string, number>();
  for (const { segment, isWordLike } of segmenter.segment(text)) {
    if (!isWordLike) continue;
    const word = /^\p{N}/u.test(segment) ? "0" : segment.toLowerCase();
    words.set(word, (words.get(word) ?? 0) + 1);
  }
  return words;
}

/** From 0 (nothing in common) to 1: twice the shared words, divided by all words of both. */
function likeness(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): number {
  const count = (words: ReadonlyMap<string, number>): number =>
    [...words.values()].reduce((sum, each) => sum + each, 0);
  const all = count(one) + count(other);
  if (all === 0) return 1;
  let shared = 0;
  for (const [word, often] of one) shared += Math.min(often, other.get(word) ?? 0);
  return (2 * shared) / all;
}

function short(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return JSON.stringify(line.length > MOST ? `${line.slice(0, MOST - 1)}…` : line);
}
