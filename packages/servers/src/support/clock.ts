/**
 * Time and chance come from outside, so that tests own them.
 *
 * @module
 */

/** What the supervision of servers needs of the world. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls once, later; call what it returns to stop that. */
  after(milliseconds: number, run: () => void): () => void;
  /** From 0 up to 1. */
  random(): number;
}

/** The time of this machine. Nothing that waits keeps the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds).unref();
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
};

const FIRST = 1_000;
const LONGEST = 60_000;

/**
 * Milliseconds to wait after so many failures in a row: twice as long each time, from one second to a minute, and up
 * to half of it less by chance, so that what failed together does not come back together.
 */
export const backoff = (failures: number, random: () => number): number =>
  Math.round(Math.min(LONGEST, FIRST * 2 ** Math.min(failures - 1, 10)) * (1 - random() / 2));
