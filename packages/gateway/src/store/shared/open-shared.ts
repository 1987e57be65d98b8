/**
 * Opens the state that nodes share. It has its own connections: it neither needs nor takes the ownership of
 * the audit log.
 *
 * @module
 */
import { GatewayError } from "@vitrine/wire";
import { type CompiledQuery, type Kysely, sql } from "kysely";
import type { PoolConfig } from "pg";
import type { QueryEngine } from "../engine.js";
import { migrate } from "../migrations.js";
import { isConflict, openPool } from "../postgres-pool.js";
import type { Tables } from "../schema.js";
import { TRANSACTION_TIMEOUT } from "./changes.js";

const CONNECT_TIMEOUT = 5000;

/** The shared state of nodes, with its connections. */
export interface SharedDatabase extends QueryEngine {
  close(): Promise<void>;
}

const connect = (url: string, options: PoolConfig): Kysely<Tables> =>
  openPool({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    application_name: "vitrine-shared",
    ...options,
  });

/**
 * Connects to the database of the nodes, and migrates its tables.
 *
 * @throws {GatewayError} `config-invalid` if it is not PostgreSQL, or cannot be used
 */
export async function openShared(url: string): Promise<SharedDatabase> {
  if (!/^postgres(?:ql)?:\/\//.test(url))
    throw new GatewayError(
      "config-invalid",
      'several nodes need a PostgreSQL database: set "database" to postgres://…',
    );
  try {
    // A migration may take longer than the limits of the other statements.
    const first = connect(url, { max: 1 });
    await migrate(first, "postgres").finally(() => first.destroy());
  } catch (cause) {
    const name = url.replace(/^(postgres(?:ql)?:\/\/)(?:[^@/]*@)?([^?]*).*$/, "$1$2");
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new GatewayError("config-invalid", `cannot use the database ${name}: ${why}`, { cause });
  }
  return new SharedPostgres(
    connect(url, {
      max: 4,
      query_timeout: 2 * TRANSACTION_TIMEOUT,
      statement_timeout: TRANSACTION_TIMEOUT,
      idle_in_transaction_session_timeout: TRANSACTION_TIMEOUT,
    }),
  );
}

class SharedPostgres implements SharedDatabase {
  readonly kind = "postgres";
  readonly db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.db = db;
  }

  change(queries: readonly CompiledQuery[]): Promise<number> {
    return this.db.transaction().execute(async (transaction) => {
      // Whatever the server's default is, a change is on disk when this resolves.
      await sql`select set_config('synchronous_commit', 'on', true) where current_setting('synchronous_commit') = 'off'`.execute(
        transaction,
      );
      let rows = 0;
      for (const query of queries)
        rows += Number((await transaction.executeQuery(query)).numAffectedRows ?? 0);
      return rows;
    });
  }

  isBusy(error: unknown): boolean {
    return isConflict(error);
  }

  close(): Promise<void> {
    return this.db.destroy();
  }
}
