/**
 * The places of words in an element.
 *
 * @module
 */

/** Maximum matches that are marked. */
const MOST = 1_000;

/** Ranges of all words of a search in the visible text of an element, ignoring case. */
export function matchRanges(root: Node, search: string): Range[] {
  const words = [...new Set(search.toLowerCase().split(/\s+/).filter(Boolean))];
  const ranges: Range[] = [];
  if (words.length === 0) return ranges;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node && ranges.length < MOST; node = walker.nextNode()) {
    if (node.parentElement?.closest("button, [hidden]")) continue;
    const text = node.nodeValue?.toLowerCase() ?? "";
    // Some letters become two in lower case: their places would not fit.
    if (text.length !== node.nodeValue?.length) continue;
    for (const { at, length } of placesIn(text, words)) {
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, at + length);
      ranges.push(range);
      if (ranges.length >= MOST) break;
    }
  }
  return ranges;
}

function placesIn(text: string, words: readonly string[]): { at: number; length: number }[] {
  const found = words.flatMap((word) => {
    const places: { at: number; length: number }[] = [];
    for (
      let at = text.indexOf(word);
      at >= 0 && places.length < MOST;
      at = text.indexOf(word, at + word.length)
    )
      places.push({ at, length: word.length });
    return places;
  });
  return found.sort((a, b) => a.at - b.at);
}
