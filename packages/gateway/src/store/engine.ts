/**
 * The interface of the database engines.
 *
 * @module
 */

import { messageOf } from "@vitrine/servers/support";
import { GatewayError } from "@vitrine/wire";
import type { CompiledQuery, Kysely } from "kysely";
import type { StoredRow } from "./row.js";
import type { EngineKind, Tables } from "./schema.js";

/** A database that this process owns exclusively. */
export interface DatabaseEngine {
  readonly kind: EngineKind;
  /**
   * For reading, and for building queries. Do not use transactions: on SQLite they would include rows of
   * others.
   */
  readonly db: Kysely<Tables>;
  /**
   * Adds rows atomically. They are on disk when it resolves. If it throws synchronously, nothing was added.
   */
  append(rows: readonly StoredRow[]): Promise<void>;
  /**
   * Applies changes outside of the log, in order and atomically; resolves with the number of rows when they
   * are on disk.
   */
  change(queries: readonly CompiledQuery[]): Promise<number>;
  /** Whether the error is a lock of another process, so that an immediate retry makes sense. */
  isBusy(error: unknown): boolean;
  /** After a failure: makes the database usable again, or throws the reason why not. */
  recover(): Promise<void>;
  /** Called when the database is lost while idle. */
  onlost: (error: unknown) => void;
  close(): Promise<void>;
}

/** Milliseconds to wait for a lock of another process. */
export const LOCK_TIMEOUT = 2000;

/** Reads, and waits for locks without blocking the process. */
export const ask = <T>(engine: DatabaseEngine, work: (db: Kysely<Tables>) => Promise<T>): Promise<T> =>
  withRetries(engine, () => work(engine.db));

/** A statement that has not run yet. */
export interface Statement {
  compile(): CompiledQuery;
}

/**
 * Applies changes outside of the log in the same way: one statement, or several atomically. Resolves with the
 * number of rows when they are on disk.
 */
export const change = (
  engine: DatabaseEngine,
  query: (db: Kysely<Tables>) => Statement | readonly Statement[],
): Promise<number> =>
  withRetries(engine, () => engine.change([query(engine.db)].flat().map((each) => each.compile())));

async function withRetries<T>(engine: DatabaseEngine, work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + LOCK_TIMEOUT;
  for (let pause = 1; ; pause = Math.min(pause * 2, 50)) {
    try {
      return await work();
    } catch (error) {
      if (!engine.isBusy(error) || performance.now() > deadline) {
        throw new GatewayError("audit-failed", `the database does not answer: ${messageOf(error)}`, {
          cause: error,
        });
      }
    }
    await wait(pause);
  }
}

export const wait = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** The statement that inserts `count` rows, compiled once. */
export function insertStatements(db: Kysely<Tables>, sample: StoredRow): (count: number) => string {
  const statements = new Map<number, string>();
  return (count) => {
    let text = statements.get(count);
    if (text === undefined) {
      text = db.insertInto("vitrine_audit").values(Array(count).fill(sample)).compile().sql;
      statements.set(count, text);
    }
    return text;
  };
}

/** The values of rows, in the order of {@link insertStatements}. */
export function valuesOf(rows: readonly StoredRow[]): (string | number | null)[] {
  const values: (string | number | null)[] = [];
  for (const row of rows) for (const value of Object.values(row)) values.push(value);
  return values;
}
