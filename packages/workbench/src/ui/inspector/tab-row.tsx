/**
 * Tabs in one scrollable row.
 *
 * @module
 */
import { ChevronLeft, ChevronRight } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { TabList } from "react-aria-components";

/** Props of a {@link TabRow}. */
export interface TabRowProps {
  label: string;
  /** The selected tab, which is scrolled into view. */
  selected: string;
  children: ReactNode;
}

/** Fraction of the row that an arrow scrolls. */
const STEP = 0.7;

const chosenIn = (row: Element): Element | null => row.querySelector("[data-selected]");

const bring = (row: Element): void => chosenIn(row)?.scrollIntoView({ block: "nearest", inline: "nearest" });

function isInSight(row: Element): boolean {
  const [around, chosen] = [row.getBoundingClientRect(), chosenIn(row)?.getBoundingClientRect()];
  return chosen !== undefined && chosen.left >= around.left - 1 && chosen.right <= around.right + 1;
}

/** The row, with arrows where it continues, for mouse users. */
export function TabRow({ label, selected, children }: TabRowProps) {
  const row = useRef<HTMLDivElement>(null);
  const [hidden, setHidden] = useState({ before: false, after: false });
  /** Whether the selected tab is visible: it is, until the user scrolls it away. */
  const isSeen = useRef(true);
  useEffect(() => {
    const { current } = row;
    if (!current) return undefined;
    const look = (): void => {
      const { scrollLeft, clientWidth, scrollWidth } = current;
      setHidden({ before: scrollLeft > 1, after: scrollLeft + clientWidth < scrollWidth - 1 });
    };
    const scrolled = (): void => {
      look();
      isSeen.current = isInSight(current);
    };
    // Tabs grow when they show a count, possibly after the row is drawn.
    const sizes = new ResizeObserver(() => {
      if (isSeen.current) bring(current);
      look();
    });
    const measure = (): void => {
      for (const each of [current, ...current.children]) sizes.observe(each);
    };
    const tabs = new MutationObserver(measure);
    tabs.observe(current, { childList: true });
    measure();
    current.addEventListener("scroll", scrolled, { passive: true });
    return () => {
      sizes.disconnect();
      tabs.disconnect();
      current.removeEventListener("scroll", scrolled);
    };
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: when another one is chosen.
  useEffect(() => {
    isSeen.current = true;
    if (row.current) bring(row.current);
  }, [selected]);
  const arrow = (side: "before" | "after", icon: ReactNode) =>
    hidden[side] && (
      // Hidden from keyboard and screen reader users, who can reach all tabs.
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
        {icon}
      </button>
    );
  return (
    <div className="in-tab-row">
      <TabList ref={row} className="tab-list" aria-label={label}>
        {children}
      </TabList>
      {arrow("before", <ChevronLeft />)}
      {arrow("after", <ChevronRight />)}
    </div>
  );
}
