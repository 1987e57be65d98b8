/**
 * A PostgreSQL primary and its standby. Commits wait until the standby has them, so a failover loses nothing that was
 * acknowledged.
 *
 * @module
 */
import { createSchema, type TestPostgres } from "./postgres.ts";
import { PostgresServer } from "./postgres-server.ts";

/** The name by which the primary waits for its standby. */
const STANDBY = "standby";

/** A primary and a standby. */
export class PostgresPair implements TestPostgres {
  #primary: PostgresServer;
  #standby: PostgresServer | undefined;
  /** Primaries that were killed. Their folders are removed at the end. */
  readonly #dead: PostgresServer[] = [];

  private constructor(primary: PostgresServer) {
    this.#primary = primary;
  }

  /** Starts both. Returns undefined, after printing why, if none can run here. */
  static async start(): Promise<PostgresPair | undefined> {
    const primary = await PostgresServer.create([
      "wal_level=replica",
      "wal_keep_size=256",
      "synchronous_commit=on",
      // The moment when a row was committed is a fact that a checker compares.
      "track_commit_timestamp=on",
    ]);
    if (!primary) return undefined;
    const pair = new PostgresPair(primary);
    await pair.addStandby();
    return pair;
  }

  /** The primary's port. */
  get port(): number {
    return this.#primary.port;
  }

  get hasStandby(): boolean {
    return this.#standby !== undefined;
  }

  schema(name: string): string {
    return createSchema(this.#primary, name);
  }

  run(schema: string, sql: string): string {
    return this.#primary.psql(schema, sql);
  }

  /** Stops the primary. */
  stop(how?: "fast" | "immediate"): Promise<void> {
    return this.#primary.stop(how);
  }

  start(): Promise<void> {
    return this.#primary.start();
  }

  /** Starts a standby of the primary. From then on, commits wait for it, unless `isSynchronous` is false. */
  async addStandby(isSynchronous = true): Promise<void> {
    this.#standby = await this.#primary.createStandby(STANDBY);
    if (isSynchronous) this.#waitFor(STANDBY);
    for (let attempt = 0; attempt < 100; attempt++) {
      const state = isSynchronous ? "sync_state = 'sync'" : "state = 'streaming'";
      if (this.run("public", `select count(*) from pg_stat_replication where ${state}`) === "1") return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error("the standby does not follow");
  }

  /** Pauses or resumes the standby's reception, so that it lags behind. Only for a standby without waiting commits. */
  async lag(): Promise<void> {
    this.#standby?.psql("public", "alter system set primary_conninfo = ''");
    this.#standby?.psql("public", "select pg_reload_conf()");
    for (let attempt = 0; attempt < 100; attempt++) {
      if (this.run("public", "select count(*) from pg_stat_replication") === "0") return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error("the standby follows still");
  }

  /** Kills the primary, and makes the standby the primary: on another port, and without a standby of its own. */
  async failOver(): Promise<void> {
    const [dead, next] = [this.#primary, this.#standby];
    if (!next) throw new Error("there is no standby");
    await dead.stop("kill");
    this.#dead.push(dead);
    next.promote();
    this.#primary = next;
    this.#standby = undefined;
    this.#waitFor("");
  }

  async remove(): Promise<void> {
    for (const server of [this.#standby, this.#primary, ...this.#dead]) await server?.remove();
  }

  /** The standby that commits wait for; an empty name for none. */
  #waitFor(name: string): void {
    this.run("public", `alter system set synchronous_standby_names = '${name}'`);
    this.run("public", "select pg_reload_conf()");
  }
}
