/**
 * A PostgreSQL primary and its standby. Commits wait until the standby has them, so a failover loses nothing that was
 * acknowledged.
 *
 * @module
 */
import { pause } from "./pause.ts";
import { createSchema } from "./postgres.ts";
import { PostgresServer } from "./postgres-server.ts";

/** The name by which the primary waits for its standby. */
const STANDBY = "standby";

/** A primary and a standby. */
export class PostgresPair {
  #primary: PostgresServer;
  #standby: PostgresServer | undefined;
  /** Primaries that were killed. Their folders are removed at the end. */
  readonly #dead: PostgresServer[] = [];

  private constructor(primary: PostgresServer) {
    this.#primary = primary;
  }

  /** Starts both. Returns undefined, after printing why, if none can run here. */
  static async start(isSynchronous = true): Promise<PostgresPair | undefined> {
    const primary = await PostgresServer.create([
      "wal_level=replica",
      "wal_keep_size=256",
      "synchronous_commit=on",
      // The moment when a row was committed is a fact that a checker compares.
      "track_commit_timestamp=on",
    ]);
    if (!primary) return undefined;
    const pair = new PostgresPair(primary);
    await pair.addStandby(isSynchronous);
    return pair;
  }

  /** The primary's port. */
  get port(): number {
    return this.#primary.port;
  }

  get hasStandby(): boolean {
    return this.#standby !== undefined;
  }

  /** The URL of a new, empty schema in the database. */
  schema(name: string): string {
    return createSchema(this.#primary, name);
  }

  /** Runs a statement in a schema of the primary, and resolves with the rows as text. */
  query(schema: string, sql: string): Promise<string> {
    return this.#primary.query(schema, sql);
  }

  /** Stops the primary. */
  stop(how?: "fast" | "immediate"): Promise<void> {
    return this.#primary.stop(how);
  }

  /** Starts the primary again. */
  start(): Promise<void> {
    return this.#primary.start();
  }

  /** Starts a standby of the primary. From then on, commits wait for it, unless `isSynchronous` is false. */
  async addStandby(isSynchronous = true): Promise<void> {
    this.#standby = await this.#primary.createStandby(STANDBY);
    if (isSynchronous) await this.#waitFor(STANDBY);
    await this.#becomes(isSynchronous ? "sync" : "async");
  }

  /** Stops the standby's reception, so that it lags behind. Only for a standby for which commits do not wait. */
  async lag(): Promise<void> {
    await this.#standby?.query("public", "alter system set primary_conninfo = ''");
    await this.#standby?.query("public", "select pg_reload_conf()");
    await this.#becomes("");
  }

  /** Kills the primary, and makes the standby the primary: on another port, and without a standby of its own. */
  async failOver(): Promise<void> {
    const [dead, next] = [this.#primary, this.#standby];
    if (!next) throw new Error("there is no standby");
    await dead.stop("kill");
    this.#dead.push(dead);
    await next.promote();
    this.#primary = next;
    this.#standby = undefined;
    await this.#waitFor("");
  }

  async remove(): Promise<void> {
    for (const server of [this.#standby, this.#primary, ...this.#dead]) await server?.remove();
  }

  /** The standby that commits wait for; an empty name for none. */
  async #waitFor(name: string): Promise<void> {
    await this.query("public", `alter system set synchronous_standby_names = '${name}'`);
    await this.query("public", "select pg_reload_conf()");
  }

  /** Waits until the only standby follows in this way; an empty one if none does. */
  async #becomes(state: string): Promise<void> {
    for (let attempt = 0; attempt < 600; attempt++) {
      if ((await this.query("public", "select sync_state from pg_stat_replication")) === state) return;
      await pause(50);
    }
    throw new Error(`the standby does not become ${state || "disconnected"}`);
  }
}
