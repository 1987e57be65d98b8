/**
 * Time and randomness, replaceable in tests.
 *
 * @module
 */

/** Time and randomness for the supervision of servers. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls `run` once, later. Returns a function that cancels it. */
  after(milliseconds: number, run: () => void): () => void;
  /** A number from 0 (inclusive) to 1 (exclusive). */
  random(): number;
}

/** The system's clock. Its timers do not keep the process alive. */
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
 * Milliseconds to wait after a number of consecutive failures. Doubles each time, from one second to a
 * minute, and is reduced randomly by up to half, so that clients that failed together do not retry together.
 */
export const backoff = (failures: number, random: () => number): number =>
  Math.round(Math.min(LONGEST, FIRST * 2 ** Math.min(failures - 1, 10)) * (1 - random() / 2));
