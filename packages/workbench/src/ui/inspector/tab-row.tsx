/**
 * Tabs in one row, however many there are: what has no room is scrolled to.
 *
 * @module
 */
import { type ReactNode, useEffect, useRef, useState } from "react";
import { TabList } from "react-aria-components";

/** Props of a {@link TabRow}. */
export interface TabRowProps {
  label: string;
  /** The tab that is chosen: it is brought into view. */
  selected: string;
  children: ReactNode;
}

/** How much of the row a press of an arrow moves. */
const STEP = 0.7;

/** The row. Where it goes on is an arrow, for who has neither a keyboard nor a finger to scroll with. */
export function TabRow({ label, selected, children }: TabRowProps) {
  const row = useRef<HTMLDivElement>(null);
  const [hidden, setHidden] = useState({ before: false, after: false });
  useEffect(() => {
    const { current } = row;
    if (!current) return undefined;
    const look = (): void => {
      const { scrollLeft, clientWidth, scrollWidth } = current;
      setHidden({ before: scrollLeft > 1, after: scrollLeft + clientWidth < scrollWidth - 1 });
    };
    // Tabs grow when there is something to count in them.
    const sizes = new ResizeObserver(look);
    for (const each of [current, ...current.children]) sizes.observe(each);
    current.addEventListener("scroll", look, { passive: true });
    return () => {
      sizes.disconnect();
      current.removeEventListener("scroll", look);
    };
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: when another one is chosen.
  useEffect(() => {
    row.current?.querySelector("[data-selected]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [selected]);
  const arrow = (side: "before" | "after", sign: string) =>
    hidden[side] && (
      // Who uses the keyboard has the arrow keys, and hears of all tabs.
      <button
        type="button"
        className={`in-more ${side}`}
        aria-hidden="true"
        tabIndex={-1}
        onClick={() => {
          const { current } = row;
          const step = STEP * (current?.clientWidth ?? 0);
          current?.scrollBy({ left: side === "after" ? step : -step });
        }}
      >
        {sign}
      </button>
    );
  return (
    <div className="in-tab-row">
      <TabList ref={row} className="tab-list" aria-label={label}>
        {children}
      </TabList>
      {arrow("before", "‹")}
      {arrow("after", "›")}
    </div>
  );
}
