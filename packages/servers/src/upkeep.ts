/**
 * What is looked after while a server runs: whether it is there, and whether anybody needs it.
 *
 * @module
 */
import type { Clock } from "./support/clock.js";

/** Milliseconds between two questions whether a server is there, while nothing is asked of it. */
const PING = 30_000;

/** Options of {@link keepUp}. */
export interface UpkeepOptions {
  clock: Clock;
  /** Asks whether the server is there; undefined for one that is not asked. */
  check?: (() => void) | undefined;
  /** Milliseconds without use after which {@link stop} is called; undefined for never. */
  idle?: number | undefined;
  /** When it was used last. */
  lastUse: () => number;
  /** Whether a call is under way. */
  isBusy: () => boolean;
  /** Whether somebody needs it who does not call it. */
  isNeeded: () => boolean;
  stop: () => void;
}

/** Looks after a server that runs; call what it returns when it does not any more. */
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
      // One that is busy may be too busy to answer: its calls have a time limit of their own.
      if (!isBusy()) check();
      return PING;
    });
  }
  if (idle !== undefined) {
    repeat("idle", idle, () => {
      // Never less than none: a clock that is set back must not put this off.
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
