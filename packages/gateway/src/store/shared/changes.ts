/**
 * Changes that nodes with a copy in memory must notice. Each node reads the table of changes every half
 * second: unlike a notification, a row is still there after a lost connection.
 *
 * @module
 */
import { Listeners } from "@vitrine/protocol";
import type { Kysely } from "kysely";
import { ask, change, type QueryEngine, type Statement } from "../engine.js";
import type { Tables } from "../schema.js";
import { databaseTime } from "./tables.js";

/**
 * Milliseconds after which the server ends a statement, or a transaction whose node is frozen: its locks must
 * not stop the other nodes.
 */
export const TRANSACTION_TIMEOUT = 5000;
/** Milliseconds between reads. */
const INTERVAL = 500;
/**
 * Milliseconds during which a number may become visible after a higher one: transactions commit in any order.
 * Longer than any transaction may take.
 */
const OVERLAP = 6 * TRANSACTION_TIMEOUT;
/** Milliseconds that changes stay in the table, and between removals. */
const KEPT = 3_600_000;
/** Milliseconds without a read after which copies count as outdated. */
const CURRENT = 10_000;

/** Options of {@link SharedChanges}. */
export interface SharedChangesOptions {
  /** Called once when the changes cannot be read. */
  readonly onerror: (error: unknown) => void;
  readonly interval?: number | undefined;
  /** Milliseconds that changes stay in the table; an hour by default. */
  readonly kept?: number | undefined;
}

/** The changes of all nodes, in this node. */
export class SharedChanges {
  readonly #engine: QueryEngine;
  readonly #options: SharedChangesOptions;
  readonly #listeners: Listeners<[topic: string, key: string]>;
  readonly #resets: Listeners;
  /** Recently read numbers, with the time of the first read. */
  readonly #seen = new Map<number, number>();
  /** All changes up to this number have been read. */
  #low = 0;
  #readAt = performance.now();
  #removedAt = Number.NEGATIVE_INFINITY;
  #isFailing = false;
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> | undefined;
  /** The read after the running one. */
  #next: Promise<void> | undefined;
  #isClosed = false;

  private constructor(engine: QueryEngine, options: SharedChangesOptions) {
    this.#engine = engine;
    this.#options = options;
    this.#listeners = new Listeners(options.onerror);
    this.#resets = new Listeners(options.onerror);
  }

  /** Starts to follow the changes. */
  static async open(engine: QueryEngine, options: SharedChangesOptions): Promise<SharedChanges> {
    const changes = new SharedChanges(engine, options);
    changes.#low = await changes.#findLow();
    changes.#readAt = performance.now();
    changes.#plan();
    return changes;
  }

  /** The statement that records a change. Run it in the transaction of the change itself. */
  record(db: Kysely<Tables>, topic: string, key: string): Statement {
    const at = databaseTime(this.#engine.kind);
    return db.insertInto("vitrine_changes").values({ topic, key, at });
  }

  /** Adds a listener for the changes of a topic, also for this node's own. A change may be reported twice. */
  on(topic: string, listener: (key: string) => void): () => void {
    return this.#listeners.add((changed, key) => {
      if (changed === topic) listener(key);
    });
  }

  /** Adds a listener for gaps: changes may have been missed, so every copy is outdated. */
  onReset(listener: () => void): () => void {
    return this.#resets.add(listener);
  }

  /** Whether the changes were read recently: otherwise copies may be outdated. */
  get isCurrent(): boolean {
    return performance.now() - this.#readAt < CURRENT;
  }

  /**
   * Reads the changes that were made until now. Simultaneous callers share a read, but never one that has begun already: it
   * may have missed the last changes.
   */
  read(): Promise<void> {
    const running = this.#reading;
    if (!running) return this.#begin();
    this.#next ??= running
      .catch(() => {})
      .then(() => {
        this.#next = undefined;
        return this.#begin();
      });
    return this.#next;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#next?.catch(() => {});
    await this.#reading?.catch(() => {});
  }

  #begin(): Promise<void> {
    const reading = this.#read().finally(() => {
      if (this.#reading === reading) this.#reading = undefined;
    });
    this.#reading = reading;
    return reading;
  }

  #plan(): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.read()
        .then(
          () => {
            this.#isFailing = false;
          },
          (error: unknown) => {
            if (!this.#isFailing && !this.#isClosed) this.#options.onerror(error);
            this.#isFailing = true;
          },
        )
        .finally(() => this.#plan());
    }, this.#options.interval ?? INTERVAL).unref();
  }

  async #read(): Promise<void> {
    const began = performance.now();
    const kept = this.#options.kept ?? KEPT;
    // Changes may have been removed before this node read them.
    if (began - this.#readAt > kept / 2) return this.#reset();
    const rows = await ask(this.#engine, (db) =>
      db
        .selectFrom("vitrine_changes")
        .select(["seq", "topic", "key"])
        .where(({ eb, or, selectFrom }) =>
          or([
            eb("seq", ">", this.#low),
            // The newest row is always there, and shows whether the database is an older copy.
            eb(
              "seq",
              "=",
              selectFrom("vitrine_changes").select(({ fn }) => fn.max("seq").as("last")),
            ),
          ]),
        )
        .orderBy("seq")
        .execute(),
    );
    const last = rows.at(-1)?.seq ?? 0;
    if (last < Math.max(this.#low, ...this.#seen.keys())) return this.#reset();
    this.#readAt = began;
    for (const { seq, topic, key } of rows) {
      if (seq <= this.#low || this.#seen.has(seq)) continue;
      this.#seen.set(seq, began);
      this.#listeners.notify(topic, key);
    }
    for (const [seq, at] of this.#seen) {
      if (began - at < OVERLAP) continue;
      this.#low = Math.max(this.#low, seq);
    }
    for (const seq of this.#seen.keys()) if (seq <= this.#low) this.#seen.delete(seq);
    await this.#removeOld(began, kept);
  }

  async #reset(): Promise<void> {
    this.#low = await this.#findLow();
    this.#seen.clear();
    this.#readAt = performance.now();
    this.#resets.notify();
  }

  /** The last number below which no transaction can be running. */
  async #findLow(): Promise<number> {
    const { kind } = this.#engine;
    const row = await ask(this.#engine, (db) =>
      db
        .selectFrom("vitrine_changes")
        .select(({ fn }) => fn.max("seq").as("seq"))
        .where(({ eb }) => eb("at", "<", eb(databaseTime(kind), "-", OVERLAP)))
        .executeTakeFirst(),
    );
    return row?.seq ?? 0;
  }

  async #removeOld(now: number, kept: number): Promise<void> {
    if (now - this.#removedAt < kept) return;
    this.#removedAt = now;
    const { kind } = this.#engine;
    await change(this.#engine, (db) =>
      db
        .deleteFrom("vitrine_changes")
        .where(({ eb }) => eb("at", "<", eb(databaseTime(kind), "-", kept)))
        .where(({ eb, selectFrom }) =>
          eb(
            "seq",
            "<",
            selectFrom("vitrine_changes").select(({ fn }) => fn.max("seq").as("last")),
          ),
        ),
    );
  }
}
