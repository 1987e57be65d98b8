/**
 * The pace of background work on a database: verification, export, search, and removal of old rows. Each of
 * its statements blocks SQLite's caller, so calls of users would wait for many of them.
 *
 * @module
 */
import { type QueryEngine, wait } from "./engine.js";

/** Milliseconds after a commit during which other users count as active. */
const BUSY = 100;
/** Rest per time of work, while other users are active. All background work together takes a fifth of the time. */
const REST = 4;
/** Maximum milliseconds of a rest. */
const MAX_REST = 40;

interface Use {
  committedAt: number;
  /** Background tasks rest one after the other, so that many of them take no more time than one. */
  lane: Promise<void>;
}

const uses = new WeakMap<QueryEngine, Use>();

function useOf(engine: QueryEngine): Use {
  let use = uses.get(engine);
  if (!use) {
    use = { committedAt: Number.NEGATIVE_INFINITY, lane: Promise.resolve() };
    uses.set(engine, use);
  }
  return use;
}

/** Lets background work on a chain pause for the calls on the whole database. */
export function sharePace(engine: QueryEngine, whole: QueryEngine): void {
  uses.set(engine, useOf(whole));
}

/** Notes that a call was written. */
export function noteCommit(engine: QueryEngine): void {
  useOf(engine).committedAt = performance.now();
}

/**
 * Lets other work run, after a step of background work that began at `since`. While users make calls, it
 * rests; otherwise the next step begins at once.
 */
export async function rest(engine: QueryEngine, since: number): Promise<void> {
  const now = performance.now();
  const use = useOf(engine);
  if (now - use.committedAt < BUSY) {
    const pause = Math.min((now - since) * REST, MAX_REST);
    use.lane = use.lane.then(() => wait(pause));
    return use.lane;
  }
  await new Promise(setImmediate);
}
