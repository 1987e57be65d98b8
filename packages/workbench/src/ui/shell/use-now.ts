/**
 * Current time, for countdowns.
 *
 * @module
 */
import { useEffect, useState } from "react";

/** Milliseconds since 1970, updated while counting. */
export function useNow(isCounting: boolean, pause = 500): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isCounting) return undefined;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), pause);
    return () => clearInterval(timer);
  }, [isCounting, pause]);
  return now;
}

/** Seconds until then, never negative. */
export const secondsUntil = (then: number, now: number): number =>
  Math.max(0, Math.ceil((then - now) / 1000));
