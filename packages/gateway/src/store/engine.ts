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

/** A slot of the audit log that a node has, and the fence with which it was granted. */
export interface Grant {
  readonly slot: number;
  readonly fence: number;
}

/** The database refused entries, because other nodes have the users of these shards now. Nothing was written. */
export class ShardsMoved extends Error {
  readonly shards: ReadonlySet<number>;

  constructor(shards: ReadonlySet<number>) {
    super("other nodes have these users now");
    this.shards = shards;
  }
}

/** A database that this process owns exclusively, or shares with other nodes of the same gateway. */
export interface DatabaseEngine {
  readonly kind: EngineKind;
  /** Of a node: with every change, the database checks that it still has its slot. */
  grant?: Grant | undefined;
  /**
   * For reading, and for building queries. Do not use transactions: on SQLite they would include rows of
   * others.
   */
  readonly db: Kysely<Tables>;
  /**
   * Adds rows atomically. They are on disk when it resolves. If it throws synchronously, nothing was added.
   *
   * @param grant for the slot of another node
   * @throws {ShardsMoved} if rows are entries of users whom other nodes have
   */
  append(rows: readonly StoredRow[], grant?: Grant): Promise<void>;
  /**
   * Applies changes outside of the log, in order and atomically; resolves with the number of rows when they
   * are on disk.
   *
   * @param user the user whose data it is: of several nodes, only the one that has the user may change it
   * @param grant for the slot of another node
   */
  change(queries: readonly CompiledQuery[], user?: string, grant?: Grant): Promise<number>;
  /** Whether the error is a lock of another process, so that an immediate retry makes sense. */
  isBusy(error: unknown): boolean;
  /** After a failure: makes the database usable again, or throws the reason why not. */
  recover(): Promise<void>;
  /**
   * Returns a part of the unused space to the file system, which takes a few milliseconds. Resolves with false if
   * there is little left, or if the database does it itself.
   */
  shrink(): Promise<boolean>;
  /**
   * Rewrites the whole database without unused space. Blocks the process, and needs as much free space as the
   * database has. Resolves with false if the database does not need that.
   */
  compact(): Promise<boolean>;
  /**
   * Closes all connections, and what is running on them fails: this node must not act any more, so nobody waits for the answers.
   * Later work gets new connections.
   */
  cut?(): void;
  /** Called when the database is lost while idle. */
  onlost: (error: unknown) => void;
  close(): Promise<void>;
}

/** The part of an engine that tables outside of the log need; several nodes may use it at the same time. */
export type QueryEngine = Pick<DatabaseEngine, "kind" | "db" | "change" | "isBusy">;

/** Milliseconds to wait for a lock of another process. */
export const LOCK_TIMEOUT = 2000;

/** Reads, and waits for locks without blocking the process. */
export const ask = <T>(engine: QueryEngine, work: (db: Kysely<Tables>) => Promise<T>): Promise<T> =>
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
  engine: QueryEngine,
  query: (db: Kysely<Tables>) => Statement | readonly Statement[],
  user?: string,
): Promise<number> =>
  withRetries(engine, () =>
    engine.change(
      [query(engine.db)].flat().map((each) => each.compile()),
      user,
    ),
  );

async function withRetries<T>(engine: QueryEngine, work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + LOCK_TIMEOUT;
  for (let pause = 1; ; pause = Math.min(pause * 2, 50)) {
    try {
      return await work();
    } catch (error) {
      if (!engine.isBusy(error) || performance.now() > deadline) {
        if (error instanceof GatewayError && error.data.code === "stopping") throw error;
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
