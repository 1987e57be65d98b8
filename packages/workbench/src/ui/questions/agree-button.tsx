/**
 * Answers that give something away: they count when the question was in sight for a moment.
 *
 * @module
 */
import { type Sight, watchSight } from "@vitrine/host";
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from "react";

/** Whether an answer counts now; as of the last time that it was drawn, and as of this moment. */
interface Counted {
  readonly isDrawn: boolean;
  now(): boolean;
}

const Counting = createContext<Counted>({ isDrawn: false, now: () => false });

/** Watches the box of a question, for all that is in it. */
export function Counts({ box, children }: { box: Element | null; children: ReactNode }) {
  const sight = useRef<Sight>(undefined);
  const [isDrawn, setDrawn] = useState(false);
  useEffect(() => {
    if (!box) return;
    const watched = watchSight(box, () => setDrawn(watched.counts()));
    sight.current = watched;
    return () => watched.stop();
  }, [box]);
  const now = (): boolean => sight.current?.counts() ?? false;
  return <Counting value={{ isDrawn, now }}>{children}</Counting>;
}

/** Whether an answer counts, asked at the moment when it is given. */
export const useCounts = (): (() => boolean) => useContext(Counting).now;

interface AgreeButtonProps {
  isDisabled?: boolean;
  onAgree: () => void;
  children: ReactNode;
}

/** A yes. It looks like one that does not count until it does; a script's press is none (attack C21). */
export function AgreeButton({ isDisabled = false, onAgree, children }: AgreeButtonProps) {
  const { isDrawn, now } = useContext(Counting);
  return (
    <button
      type="button"
      className="button primary agree"
      disabled={isDisabled}
      // It can have the focus all the while: who waits for it with the keyboard does not lose their place.
      aria-disabled={!isDrawn}
      onClick={({ nativeEvent }) => nativeEvent.isTrusted && now() && onAgree()}
    >
      {children}
    </button>
  );
}
