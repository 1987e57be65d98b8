/**
 * What differs between the databases.
 *
 * @module
 */

import { messageOf } from "@vitrine/servers/support";
import { GatewayError } from "@vitrine/wire";
import type { CompiledQuery, Kysely } from "kysely";
import type { StoredRow } from "./row.js";
import type { EngineKind, Tables } from "./schema.js";

/** A database that this process owns: nobody else writes to it. */
export interface Engine {
  readonly kind: EngineKind;
  /**
   * For reading, and for making queries. No transactions: on SQLite they would hold the rows of others.
   */
  readonly db: Kysely<Tables>;
  /** Adds rows, all of them or none. When it resolves, they are on disk. What it throws at once was not added. */
  append(rows: readonly StoredRow[]): Promise<void>;
  /**
   * Changes something that is not the log, in order, all of it or nothing; resolves with the number of rows when it is on
   * disk.
   */
  change(queries: readonly CompiledQuery[]): Promise<number>;
  /** Whether somebody else holds a lock, so that it is worth trying again at once. */
  isBusy(error: unknown): boolean;
  /** After a failure: makes the database usable again, or throws why it is not. */
  recover(): Promise<void>;
  /** Hears that the database was lost while nothing was asked of it. */
  onlost: (error: unknown) => void;
  close(): Promise<void>;
}

/** How long somebody else's lock is waited for, in milliseconds. */
export const LOCK_TIMEOUT = 2000;

/** Reads, waiting for locks without stopping the process. */
export const ask = <T>(engine: Engine, work: (db: Kysely<Tables>) => Promise<T>): Promise<T> =>
  patiently(engine, () => work(engine.db));

/** A statement that is not run yet. */
export interface Statement {
  compile(): CompiledQuery;
}

/**
 * Changes something that is not the log, in the same way: one statement, or several of which all count or none. Resolves
 * with the number of rows when it is on disk.
 */
export const change = (
  engine: Engine,
  query: (db: Kysely<Tables>) => Statement | readonly Statement[],
): Promise<number> =>
  patiently(engine, () => engine.change([query(engine.db)].flat().map((each) => each.compile())));

async function patiently<T>(engine: Engine, work: () => Promise<T>): Promise<T> {
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

/** The statement that adds `count` rows, compiled once. */
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
