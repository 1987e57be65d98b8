/**
 * The PostgreSQL engine. A single connection writes, and holds a lock as long as it exists.
 *
 * - A gateway alone holds it exclusively: a process that lost the connection has also lost the right to write, and
 *   the process with the lock knows that nothing of the previous owner is still running.
 * - The nodes of a gateway share it, which keeps others out. Each of them may write only while it has its slot.
 *
 * @module
 */
import { Socket } from "node:net";
import { GatewayError } from "@vitrine/wire";
import { type CompiledQuery, type Kysely, sql } from "kysely";
import pg from "pg";
import { type DatabaseEngine, type Grant, insertStatements, ShardsMoved, valuesOf, wait } from "./engine.js";
import { LEASE } from "./membership.js";
import { appendFenced, checkFence, LeaseOver } from "./postgres-fence.js";
import { INTEGERS, openPool } from "./postgres-pool.js";
import { chainRow, GENESIS, type StoredRow } from "./row.js";
import type { Tables } from "./schema.js";

/**
 * Advisory locks are numbers: this one is "vitr". The second number is the schema's, so that a database may
 * hold several logs.
 */
const LOCK = "1986622578, hashtext(current_schema())";
/** Maximum rows of a prepared statement; the server keeps it. */
const PREPARED = 16;
const CONNECT_TIMEOUT = 5000;
/**
 * Milliseconds for a statement. A gateway alone may migrate large tables with it. Users of a node do not wait that long: the
 * connection is closed, and the next statement gets another one.
 */
const STATEMENT = { alone: 60_000, node: 10_000 };

/**
 * Forces commits to disk, whatever the server's default is. A stronger setting is kept.
 *
 * @param isLocal whether it applies to one transaction, or to the whole connection
 */
const DURABLE = (isLocal: "true" | "false"): string =>
  `select set_config('synchronous_commit', 'on', ${isLocal}) where current_setting('synchronous_commit') = 'off'`;

/** Options of {@link openPostgres}. */
export interface PostgresOptions {
  /** Milliseconds to wait for another owner to leave. */
  ownerTimeout: number;
  /** Milliseconds after which an unanswered commit counts as lost. */
  commitTimeout: number;
  /** Whether other nodes of the gateway use the log as well. */
  isShared?: boolean | undefined;
}

/** Connects, and becomes the owner of the log in the connection's schema. */
export async function openPostgres(url: string, options: PostgresOptions): Promise<DatabaseEngine> {
  const engine = new PostgresEngine(url, options);
  const deadline = performance.now() + options.ownerTimeout;
  for (;;) {
    try {
      await engine.recover();
      return engine;
    } catch (error) {
      if (!(error instanceof InUse) || performance.now() >= deadline) {
        await engine.close();
        throw error;
      }
    }
    await wait(100);
  }
}

class InUse extends GatewayError {}

const IN_USE =
  'the audit log in the database is in use by another gateway: stop it first, use another database or schema, or let several nodes share it ("nodes" in the settings of each)';
const ALONE =
  'the audit log in the database is in use by a gateway that does not share it: stop it first, and start it again with "nodes" in its settings';

interface Writer {
  readonly client: pg.Client;
  /** The server's process for the connection. */
  pid: number;
  /** Closes it at once, whatever is running. */
  cut(): void;
}

class PostgresEngine implements DatabaseEngine {
  readonly kind = "postgres";
  readonly db: Kysely<Tables>;
  grant: Grant | undefined;
  onlost: (error: unknown) => void = () => {};
  readonly #url: string;
  readonly #options: PostgresOptions;
  readonly #textOf: (count: number) => string;
  readonly #sockets = new Set<Socket>();
  #writer: Writer | undefined;
  /** The server's process of the lost connection. */
  #lostPid: number | undefined;
  #closed = false;

  constructor(url: string, options: PostgresOptions) {
    this.#url = url;
    this.#options = options;
    const pool = {
      connectionString: url,
      max: 4,
      application_name: "vitrine-store",
      connectionTimeoutMillis: CONNECT_TIMEOUT,
      query_timeout: options.isShared ? STATEMENT.node : STATEMENT.alone,
      // A node that freezes within a change must not keep its locks: others could not take its users when its lease is over.
      ...(options.isShared && { idle_in_transaction_session_timeout: LEASE / 2 }),
    };
    this.db = openPool(pool, this.#sockets);
    this.#textOf = insertStatements(this.db, chainRow(GENESIS, 0, {}));
  }

  /**
   * Uses a connection of the pool: on the writer's own, rows of the log would become part of the transaction.
   */
  async change(queries: readonly CompiledQuery[], user?: string, grant = this.grant): Promise<number> {
    this.#checkOwner();
    return this.db.transaction().execute(async (transaction) => {
      await sql.raw(DURABLE("true")).execute(transaction);
      if (grant) await checkFence(transaction, grant, user);
      let rows = 0;
      for (const query of queries)
        rows += Number((await transaction.executeQuery(query)).numAffectedRows ?? 0);
      this.#checkOwner();
      return rows;
    });
  }

  async append(rows: readonly StoredRow[], grant = this.grant): Promise<void> {
    const writer = this.#checkOwner();
    // Without an answer, it is unknown whether it was committed; the connection is closed, and the next one
    // checks.
    const timer = setTimeout(() => writer.cut(), this.#options.commitTimeout);
    try {
      if (grant) return await appendFenced(writer.client, rows, grant);
      const name = rows.length <= PREPARED ? { name: `vitrine-append-${rows.length}` } : {};
      await writer.client.query({ text: this.#textOf(rows.length), values: valuesOf(rows), ...name });
    } catch (error) {
      // A refused row leaves the connection as it was.
      if (!(error instanceof ShardsMoved || error instanceof LeaseOver)) {
        this.#drop(writer);
        // Its rows were those of a lost node: the writer of this node's own rows must notice, too.
        if (grant !== this.grant) this.onlost(error);
      }
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  isBusy(): boolean {
    return false;
  }

  /** The server's autovacuum reuses the space of removed rows. */
  async shrink(): Promise<boolean> {
    return false;
  }

  async compact(): Promise<boolean> {
    return false;
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#writer?.cut();
  }

  async recover(): Promise<void> {
    if (this.#writer) return;
    const writer = await this.#connect();
    try {
      await this.#own(writer);
    } catch (error) {
      writer.cut();
      throw error;
    }
    if (this.#closed) return writer.cut();
    this.#writer = writer;
    this.#lostPid = undefined;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const writer = this.#writer;
    this.#writer = undefined;
    if (writer) {
      await Promise.race([writer.client.end(), wait(1000)]);
      writer.cut();
    }
    await this.db.destroy();
  }

  /** A process that lost the connection with the lock may not write. */
  #checkOwner(): Writer {
    if (!this.#writer) throw new GatewayError("audit-failed", "the database is not connected");
    return this.#writer;
  }

  async #connect(): Promise<Writer> {
    const socket = new Socket();
    const client = new pg.Client({
      connectionString: this.#url,
      types: INTEGERS,
      stream: () => socket,
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_TIMEOUT,
      application_name: "vitrine-gateway",
    });
    const writer: Writer = { client, pid: 0, cut: () => socket.destroy() };
    client.on("error", (error) => this.#lost(writer, error));
    client.on("end", () => this.#lost(writer, new Error("the connection to the database ended")));
    await client.connect();
    return writer;
  }

  async #own(writer: Writer): Promise<void> {
    const { client } = writer;
    await client.query(DURABLE("false"));
    await client.query(
      "select set_config(name, value, false) from (values ('tcp_keepalives_idle', '10'), ('tcp_keepalives_interval', '5'), ('tcp_keepalives_count', '3')) as settings (name, value)",
    );
    const { rows } = await client.query<{ mine: boolean; pid: number }>(
      `select pg_try_advisory_lock${this.#options.isShared ? "_shared" : ""}(${LOCK}) as mine, pg_backend_pid() as pid`,
    );
    const [lock] = rows;
    if (lock?.mine) {
      writer.pid = lock.pid;
      return;
    }
    if (this.#lostPid !== undefined) {
      // The server has not noticed that the previous connection is gone.
      await client.query(
        `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted and pid = $1
         and (classid::int4, objid::int4) = (${LOCK}) and database = (select oid from pg_database where datname = current_database())`,
        [this.#lostPid],
      );
    }
    throw new InUse("config-invalid", this.#options.isShared ? ALONE : IN_USE, { data: { inUse: true } });
  }

  #lost(writer: Writer, error: unknown): void {
    if (this.#writer !== writer) return;
    this.#drop(writer);
    if (!this.#closed) this.onlost(error);
  }

  #drop(writer: Writer): void {
    if (this.#writer === writer) {
      this.#writer = undefined;
      this.#lostPid = writer.pid;
    }
    writer.cut();
  }
}
