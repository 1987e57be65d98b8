/**
 * Places of pinned apps beside the conversation.
 *
 * CSS puts a pinned app there: its element stays where it is in the document, because a moved frame reloads.
 *
 * @module
 */
import { type CSSProperties, type RefObject, useEffect, useState } from "react";

/** The position of a card, as CSS variables in percent of the area. */
export type PinPlace = CSSProperties & Record<"--pin-x" | "--pin-y" | "--pin-w" | "--pin-h", number>;

/** Pixels of width from which there is a place beside the conversation. */
const WIDE = 860;

/** Divides the area: up to two apps stand above each other, more of them in two columns. */
export function pinPlaces(count: number): PinPlace[] {
  const columns = count > 2 ? 2 : 1;
  const rows = Math.ceil(count / columns);
  return Array.from({ length: count }, (_, index) => {
    const row = Math.floor(index / columns);
    // The last one takes the place that is left in its row.
    const isAlone = index === count - 1 && index % columns === 0;
    const width = isAlone ? 100 : 100 / columns;
    return {
      "--pin-x": (index % columns) * width,
      "--pin-y": (row * 100) / rows,
      "--pin-w": width,
      "--pin-h": 100 / rows,
    };
  });
}

/** Whether there is a place beside the conversation: a narrow one keeps its pinned apps between the messages. */
export function useIsWide(box: RefObject<HTMLElement | null>): boolean {
  const [isWide, setWide] = useState(false);
  useEffect(() => {
    const { current } = box;
    if (!current) return undefined;
    const look = new ResizeObserver(() => setWide(current.clientWidth >= WIDE));
    look.observe(current);
    return () => look.disconnect();
  }, [box]);
  return isWide;
}
