/**
 * Since when a question can be seen.
 *
 * @module
 */

/** Milliseconds before a yes counts: a click that was meant for something else does not agree (attack C21). */
const DELAY = 600;

/** Whether a question was in sight long enough. */
export interface Sight {
  /** Whether a yes counts now. */
  counts(): boolean;
  stop(): void;
}

/**
 * Watches a question that is drawn now. While something lies over it, and for a moment after, a click is meant for that:
 * where a browser can tell.
 *
 * @param draw called again and again: what would not count must not look as if it did
 * @example
 * ```ts source="../frame.examples.ts#watchSight"
 * const sight = watchSight(dialog, () => {
 *   allow.ariaDisabled = `${!sight.counts()}`;
 * });
 * allow.onclick = ({ isTrusted }) => {
 *   if (isTrusted && sight.counts()) agree();
 * };
 * ```
 */
export function watchSight(box: Element, draw: () => void): Sight {
  let shown = performance.now();
  let wasVisible: boolean | undefined;
  const uncovered = new IntersectionObserver(
    ([entry]) => {
      const { isVisible } = entry as { isVisible?: boolean };
      shown = wasVisible && !isVisible ? Number.POSITIVE_INFINITY : performance.now();
      wasVisible ||= isVisible;
      draw();
    },
    { trackVisibility: true, delay: 100 } as IntersectionObserverInit,
  );
  const drawing = setInterval(draw, 50);
  uncovered.observe(box);
  return {
    counts: () => performance.now() - shown > DELAY,
    stop: () => {
      clearInterval(drawing);
      uncovered.disconnect();
    },
  };
}
