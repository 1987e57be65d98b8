/**
 * Scales wide content into a narrow place.
 *
 * @module
 */
import { type ReactNode, useLayoutEffect, useRef } from "react";

/** Lays out its children at `width` pixels, and scales them down to the available width. */
export function Scaled({ width, children }: { width: number; children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const outer = place.current;
    const inner = content.current;
    if (!outer || !inner) return undefined;
    // Directly on the DOM: a growing app must not render everything again.
    const fit = (): void => {
      const scale = Math.min(1, outer.clientWidth / width);
      inner.style.transform = scale < 1 ? `scale(${scale})` : "";
      outer.style.height = `${inner.offsetHeight * scale}px`;
    };
    const sizes = new ResizeObserver(fit);
    sizes.observe(outer);
    sizes.observe(inner);
    return () => sizes.disconnect();
  }, [width]);
  return (
    <div ref={place} className="scaled">
      <div ref={content} className="scaled-content" style={{ width }}>
        {children}
      </div>
    </div>
  );
}
