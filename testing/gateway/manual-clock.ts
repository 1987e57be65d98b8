/** A clock that advances only when a test says so. */
import type { Clock } from "../../packages/servers/src/support/clock.ts";

export interface ManualClock extends Clock {
  /** Milliseconds until each pending timer. */
  readonly waiting: number[];
  /** Advances time, and runs the due timers in order. */
  pass(milliseconds: number): void;
}

export function manualClock(random = 0): ManualClock {
  let now = 1_000_000;
  const timers = new Set<{ at: number; run: () => void }>();
  return {
    now: () => now,
    random: () => random,
    after(milliseconds, run) {
      const timer = { at: now + milliseconds, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    get waiting() {
      return [...timers].map(({ at }) => at - now).sort((a, b) => a - b);
    },
    pass(milliseconds) {
      const end = now + milliseconds;
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (!next) break;
        timers.delete(next);
        now = next.at;
        next.run();
      }
      now = end;
    },
  };
}
