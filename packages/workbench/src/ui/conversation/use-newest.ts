/**
 * Scrolling to the newest, unless the person reads something else.
 *
 * @module
 */
import { type RefObject, useCallback, useEffect, useRef, useState } from "react";

/** Pixels from the end at which one still is at the end. */
const NEAR = 48;

/**
 * Keeps a list at its end while it is there, whatever grows in it, unless it is held where it is. Says whether it is at
 * its end, and goes there when asked.
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
      // Only who scrolls up wants to stay: what grows below is no wish.
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
