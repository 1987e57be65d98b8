/**
 * Scrolls to the newest entry, unless the user reads something else.
 *
 * @module
 */
import { type RefObject, useCallback, useEffect, useRef, useState } from "react";

/** Pixels from the end that still count as the end. */
const NEAR = 48;

/**
 * Keeps a list scrolled to its end while it grows, unless it is held. Returns whether it is at its end, and a
 * function that scrolls there.
 */
export function useNewest(
  list: RefObject<HTMLElement | null>,
  inner: RefObject<HTMLElement | null>,
  isHeld: () => boolean,
): { isAtEnd: boolean; toEnd: () => void } {
  const [isAtEnd, setAtEnd] = useState(true);
  const follows = useRef(true);
  const toEnd = useCallback(() => {
    const { current } = list;
    if (!current) return;
    follows.current = true;
    current.scrollTop = current.scrollHeight;
  }, [list]);
  useEffect(() => {
    const scroller = list.current;
    const content = inner.current;
    if (!scroller || !content) return undefined;
    let top = scroller.scrollTop;
    const scrolled = (): void => {
      const isNear = scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop < NEAR;
      // Only scrolling up leaves the end; growing content does not.
      if (isNear) follows.current = true;
      else if (scroller.scrollTop < top) follows.current = false;
      top = scroller.scrollTop;
      setAtEnd(isNear);
    };
    const grown = new ResizeObserver(() => {
      if (follows.current && !isHeld()) toEnd();
      scrolled();
    });
    grown.observe(content);
    grown.observe(scroller);
    scroller.addEventListener("scroll", scrolled, { passive: true });
    return () => {
      grown.disconnect();
      scroller.removeEventListener("scroll", scrolled);
    };
  }, [list, inner, isHeld, toEnd]);
  return { isAtEnd, toEnd };
}
