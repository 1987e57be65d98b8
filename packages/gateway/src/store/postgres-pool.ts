/**
 * Pools of connections to PostgreSQL.
 *
 * @module
 */
import { Socket } from "node:net";
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from "kysely";
import pg from "pg";
import type { Tables } from "./schema.js";

/** The type of `bigint` columns. */
const INT8 = 20;

/** Counts and times are safe integers; the driver would return them as text. */
export const INTEGERS: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format),
};

/** The driver's error for a statement without an answer in `query_timeout`. It has no code. */
const UNANSWERED = "Query read timeout";

/** Whether the error is a serialization failure or a deadlock: the same transaction succeeds when it is repeated. */
export const isConflict = (error: unknown): boolean =>
  ["40001", "40P01"].includes(String(Object(error).code));

/**
 * Opens a pool. A lost connection is an error of the statement on it; the next statement gets another connection.
 *
 * @param sockets gets the sockets of the open connections
 */
export function openPool(options: pg.PoolConfig, sockets?: Set<Socket>): Kysely<Tables> {
  const stream = sockets && { stream: () => keptSocket(sockets) };
  const pool = new pg.Pool({ ...options, ...stream, types: INTEGERS });
  // Without listeners, the process would crash.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: closingUnanswered(pool) }) });
}

function keptSocket(sockets: Set<Socket>): Socket {
  const socket = new Socket();
  sockets.add(socket);
  return socket.once("close", () => sockets.delete(socket));
}

/**
 * Closes connections that do not answer in time. The driver would use them again, and each statement would wait behind the one
 * without an answer. If the other machine is gone, the operating system notices that only after many minutes.
 */
function closingUnanswered(pool: pg.Pool): PostgresPool {
  /** When each connection answered last. */
  const answers = new WeakMap<pg.PoolClient, number>();
  /** The others are probably gone as well, unless they have answered since. */
  let doubtedAt = Number.NEGATIVE_INFINITY;
  const acquire = async (): Promise<pg.PoolClient> => {
    for (;;) {
      const client = await pool.connect();
      const answeredAt = answers.get(client) ?? performance.now();
      answers.set(client, answeredAt);
      if (answeredAt >= doubtedAt) return client;
      client.release(true);
    }
  };
  const connect = async (): Promise<PostgresPoolClient> => {
    const client = await acquire();
    let isReleased = false;
    const release = (isBroken: boolean): void => {
      if (!isReleased) client.release(isBroken);
      isReleased = true;
    };
    const query = async (text: string, parameters: readonly unknown[]): Promise<pg.QueryResult> => {
      // The rollback of a transaction whose connection was closed.
      if (isReleased) throw new Error("the connection to the database was closed: it did not answer");
      const askedAt = performance.now();
      try {
        const result = await client.query(text, [...parameters]);
        answers.set(client, performance.now());
        return result;
      } catch (error) {
        if (error instanceof Error && error.message === UNANSWERED) {
          doubtedAt = askedAt;
          release(true);
        }
        throw error;
      }
    };
    // The other form of `query` takes a cursor: nothing here uses one.
    return { query: query as unknown as PostgresPoolClient["query"], release: () => release(false) };
  };
  return { connect, end: () => pool.end() };
}
