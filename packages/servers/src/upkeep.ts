/**
 * Checks on a running server: whether it responds, and whether it is still needed.
 *
 * @module
 */
import type { Clock } from "./support/clock.js";

/** Milliseconds between health checks of an otherwise unused server. */
const PING = 30_000;

/** Options of {@link keepUp}. */
export interface UpkeepOptions {
  clock: Clock;
  /** Checks the server's health; undefined to skip the check. */
  check?: (() => void) | undefined;
  /** Milliseconds without use after which {@link stop} is called; undefined for never. */
  idle?: number | undefined;
  /** The time of the last use. */
  lastUse: () => number;
  /** Whether a call is under way. */
  isBusy: () => boolean;
  /** Whether the server is needed without being called. */
  isNeeded: () => boolean;
  stop: () => void;
}

/** Checks on a running server. Call the returned function when it has ended. */
export function keepUp(options: UpkeepOptions): () => void {
  const { clock, check, idle, lastUse, isBusy, isNeeded, stop } = options;
  const timers = new Map<string, () => void>();
  const repeat = (name: string, milliseconds: number, run: () => number | undefined): void => {
    const cancel = clock.after(milliseconds, () => {
      const next = run();
      if (next !== undefined) repeat(name, next, run);
    });
    timers.set(name, cancel);
  };
  if (check) {
    repeat("check", PING, () => {
      // A busy server may not answer a ping. Its calls have timeouts of their own.
      if (!isBusy()) check();
      return PING;
    });
  }
  if (idle !== undefined) {
    repeat("idle", idle, () => {
      // Never negative: setting the clock back must not postpone the stop.
      const unused = Math.max(0, clock.now() - lastUse());
      if (isBusy() || isNeeded()) return idle;
      if (unused < idle) return idle - unused;
      stop();
      return undefined;
    });
  }
  return () => {
    for (const cancel of timers.values()) cancel();
  };
}
