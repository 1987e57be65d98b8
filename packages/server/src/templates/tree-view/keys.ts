/** Keyboard navigation in a list of visible items. */

let typed = "";
let last = 0;

/**
 * The item that a key moves to: the next, the previous, the first, the last, or one that starts with the
 * typed letters.
 */
export function moved(items: readonly HTMLElement[], from: Element, key: string): HTMLElement | undefined {
  const at = items.indexOf(from as HTMLElement);
  if (key === "ArrowDown") return items[at + 1];
  if (key === "ArrowUp") return items[at - 1];
  if (key === "Home") return items[0];
  if (key === "End") return items.at(-1);
  // Single letters have length 1; names of keys are longer.
  return key.length === 1 ? typedTo(items, at, key) : undefined;
}

function typedTo(items: readonly HTMLElement[], at: number, key: string): HTMLElement | undefined {
  const now = Date.now();
  typed = (now - last < 600 ? typed : "") + key.toLowerCase();
  last = now;
  // A single letter moves to the next match; further letters may still match the current item.
  const from = at + (typed.length > 1 ? 0 : 1);
  return [...items.slice(from), ...items.slice(0, from)].find((item) =>
    item.querySelector(".label")?.textContent?.toLowerCase().startsWith(typed),
  );
}
