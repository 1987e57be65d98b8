/**
 * Stores small results of calls for a while, so that a repeated idempotency key gets its answer after a
 * restart.
 *
 * @module
 */
import { ask, change, type DatabaseEngine } from "./engine.js";
import type { StoredResult } from "./schema.js";
import type { KeptResults } from "./store.js";

/** Maximum size of a stored result, in characters of JSON. */
export const MAX_RESULT = 16_000;
/** Retention of a result, in milliseconds: one hour. */
const KEPT_FOR = 3_600_000;
/** Maximum number of stored results. Together with {@link MAX_RESULT}, this also limits their space. */
const MAX_RESULTS = 10_000;
/** Milliseconds that a result waits for others, so that a busy gateway writes them in one commit. */
const LINGER = 50;
/** Maximum number of queued results. A database that cannot be written must not fill the memory. */
const MAX_WAITING = 1000;
/** Results per statement: PostgreSQL and SQLite limit the number of parameters. */
const GROUP = 100;
/** Milliseconds between removals of expired results. */
const SWEEP = 600_000;
/** Surplus results that a statement removes. */
const REMOVED_AT_ONCE = 5000;
/** Number of results between removals of surplus ones. */
const SWEPT_AFTER = 1000;

/** Results in the database, by the number of the audit entry of their call. */
export class StoredResults implements KeptResults {
  readonly #engine: DatabaseEngine;
  readonly #now: () => number;
  #waiting: StoredResult[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  /** Removes expired results even without new ones: they may be confidential. */
  readonly #sweep: NodeJS.Timeout;
  #isSweepDue = true;
  #sinceSweep = 0;

  constructor(engine: DatabaseEngine, now: () => number) {
    this.#engine = engine;
    this.#now = now;
    this.#sweep = setInterval(() => {
      this.#isSweepDue = true;
      this.#writing = this.#writing.then(() => this.#write());
    }, SWEEP).unref();
  }

  keep(seq: number, json: string): void {
    if (json.length > MAX_RESULT || this.#waiting.length >= MAX_WAITING) return;
    this.#waiting.push({ seq, expiresAt: this.#now() + KEPT_FOR, json });
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#writing = this.#writing.then(() => this.#write());
    }, LINGER);
  }

  async find(seq: number): Promise<string | undefined> {
    const waiting = this.#waiting.find((each) => each.seq === seq);
    if (waiting) return waiting.json;
    await this.#writing;
    const row = await ask(this.#engine, (db) =>
      db
        .selectFrom("vitrine_results")
        .select("json")
        .where("seq", "=", seq)
        .where("expiresAt", ">", this.#now())
        .executeTakeFirst(),
    );
    return row?.json;
  }

  async clear(): Promise<void> {
    this.#waiting = [];
    await this.#writing;
    await change(this.#engine, (db) => db.deleteFrom("vitrine_results"));
  }

  /** Writes queued results, and stops. */
  async close(): Promise<void> {
    clearInterval(this.#sweep);
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#writing;
    await this.#write();
  }

  /**
   * Never rejects. A result that cannot be written is dropped: its key is then answered with `indeterminate`,
   * and the audit log, which is in the same database, has raised the alarm.
   */
  async #write(): Promise<void> {
    const results = this.#waiting.splice(0);
    this.#sinceSweep += results.length;
    const isSweep = this.#isSweepDue || this.#sinceSweep >= SWEPT_AFTER;
    if (results.length === 0 && !isSweep) return;
    try {
      await change(this.#engine, (db) => {
        const groups = Array.from({ length: Math.ceil(results.length / GROUP) }, (_, n) =>
          results.slice(n * GROUP, (n + 1) * GROUP),
        );
        const inserts = groups.map((group) =>
          db
            .insertInto("vitrine_results")
            .values(group)
            .onConflict((conflict) => conflict.column("seq").doNothing()),
        );
        return isSweep ? [...inserts, ...this.#removals()] : inserts;
      });
      if (isSweep) {
        this.#isSweepDue = false;
        this.#sinceSweep = 0;
      }
    } catch {
      // See above.
    }
  }

  #removals() {
    const { db } = this.#engine;
    // By time: the rows of several nodes are not numbered in the order of their calls.
    const surplus = db
      .selectFrom("vitrine_results")
      .select("seq")
      .orderBy("expiresAt", "desc")
      .orderBy("seq", "desc")
      .limit(REMOVED_AT_ONCE)
      .offset(MAX_RESULTS);
    return [
      db.deleteFrom("vitrine_results").where("expiresAt", "<=", this.#now()),
      db.deleteFrom("vitrine_results").where("seq", "in", surplus),
    ];
  }
}
