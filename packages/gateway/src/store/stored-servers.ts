/**
 * The history of servers' names. It is cached in memory, because there are few. If another node has written since, a change
 * is decided again.
 *
 * @module
 */
import { randomUUID } from "node:crypto";
import { GatewayError } from "@vitrine/wire";
import { type SqlBool, sql } from "kysely";
import { ask, change, type QueryEngine } from "./engine.js";
import type { KnownServers, ServerChange, ServerKey, ServerNews } from "./known-servers.js";
import { HAS_NAMED_ROWS } from "./migration-steps.js";
import { sha256 } from "./row.js";
import type { StoredServer } from "./schema.js";

/** In `vitrine_state`: the mark of the last write. */
const WRITER = "servers-writer";
/** Held until the end of a transaction. The first number is "vitr" + 1: the lock of the audit log has its own. */
const LOCK = sql`select pg_advisory_xact_lock(1986622579, hashtext(current_schema()))`;
/** Attempts to write while other nodes do. */
const ATTEMPTS = 20;

/** A server to be recorded, and whether it takes over its name or inherits the name's data. */
interface Arrival {
  readonly row: StoredServer;
  readonly kind?: ServerChange["kind"] | undefined;
}

export class StoredServers implements KnownServers {
  readonly #engine: QueryEngine;
  /** Whether rows without an identity wait for their heirs. */
  readonly #hasNamedRows: boolean;
  readonly #known = new Map<string, StoredServer[]>();
  #last = 0;
  /** Names are taken one after the other. */
  #turn: Promise<unknown> = Promise.resolve();
  /** Servers that could not be written the last time. */
  #unwritten: readonly ServerKey[] | undefined;
  onlate: (changes: readonly ServerChange[]) => void = () => {};

  private constructor(engine: QueryEngine, rows: readonly StoredServer[], hasNamedRows: boolean) {
    this.#engine = engine;
    this.#hasNamedRows = hasNamedRows;
    for (const row of rows) this.#add(row);
  }

  static async open(engine: QueryEngine): Promise<StoredServers> {
    const rows = await readServers(engine);
    const state = await ask(engine, (db) =>
      db.selectFrom("vitrine_state").select("value").where("name", "=", HAS_NAMED_ROWS).executeTakeFirst(),
    );
    return new StoredServers(engine, rows, state !== undefined);
  }

  /** Reads the data again: the database may have had another owner in between. */
  async reload(): Promise<void> {
    const rows = await readServers(this.#engine);
    this.#known.clear();
    for (const row of rows) this.#add(row);
  }

  take(servers: Iterable<ServerKey>): Promise<ServerChange[]> {
    const all = [...servers];
    const taken = this.#turn.then(() => this.#take(all));
    // Callers that depend on the write use `settled`, which retries it.
    this.#turn = taken.then(
      () => {
        this.#unwritten = undefined;
      },
      () => {
        this.#unwritten = all;
      },
    );
    return taken;
  }

  async settled(): Promise<void> {
    await this.#turn;
    if (!this.#unwritten) return;
    const late = await this.take(this.#unwritten);
    if (late.length > 0) this.onlate(late);
  }

  isHeir({ name, identity }: ServerKey): boolean {
    return this.#known.get(name)?.some((each) => each.identity === identity && each.heir === 1) ?? false;
  }

  unannounced(): ServerNews[] {
    return [...this.#known.values()].flatMap((known) => {
      const holder = holderOf(known);
      return holder?.untold ? [{ name: holder.name, identity: holder.identity, kind: holder.untold }] : [];
    });
  }

  async announced({ name, identity }: ServerKey): Promise<void> {
    const row = this.#known.get(name)?.find((each) => each.identity === identity);
    if (!row?.untold) return;
    // Set at once, because several pages are notified concurrently.
    row.untold = null;
    await change(this.#engine, (db) =>
      db.updateTable("vitrine_servers").set({ untold: null }).where("id", "=", row.id),
    );
  }

  async #take(servers: readonly ServerKey[]): Promise<ServerChange[]> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const arrivals = servers.flatMap((server, index) => this.#arrival(server, this.#last + 1 + index));
      if (arrivals.length === 0) return [];
      if (await this.#write(arrivals.map(({ row }) => row))) {
        for (const { row } of arrivals) this.#add(row);
        return arrivals.flatMap(({ row: { name, identity }, kind }) =>
          kind ? [{ name, identity, kind }] : [],
        );
      }
      // Another node has taken names since: they decide on the change.
      await this.reload();
    }
    throw new GatewayError("audit-failed", "other nodes change the names of servers all the time");
  }

  /** Writes all rows, or none if another node has written some since the last read. */
  async #write(rows: readonly StoredServer[]): Promise<boolean> {
    const { kind } = this.#engine;
    // Only this call has this mark: if it is stored, so may be the rows.
    const mark = randomUUID();
    const written = await change(this.#engine, (db) => {
      const isLast = sql<SqlBool>`coalesce(${db.selectFrom("vitrine_servers").select(({ fn }) => fn.max("turn").as("last"))}, 0) = ${this.#last}`;
      const isMarked = sql<SqlBool>`exists ${db.selectFrom("vitrine_state").select("name").where("name", "=", WRITER).where("value", "=", mark)}`;
      return [
        // Nodes write one after the other. SQLite has one writer anyway.
        ...(kind === "postgres" ? [{ compile: () => LOCK.compile(db) }] : []),
        db
          .insertInto("vitrine_state")
          .columns(["name", "value"])
          .expression(
            db
              .selectNoFrom([
                sql<string>`cast(${WRITER} as text)`.as("name"),
                sql<string>`cast(${mark} as text)`.as("value"),
              ])
              .where(isLast),
          )
          .onConflict((conflict) => conflict.column("name").doUpdateSet({ value: mark })),
        ...rows.map(({ id, name, identity, turn, heir, untold }) =>
          db
            .insertInto("vitrine_servers")
            .columns(["id", "name", "identity", "turn", "heir", "untold"])
            .expression(
              db
                .selectNoFrom([
                  sql<string>`cast(${id} as text)`.as("id"),
                  sql<string>`cast(${name} as text)`.as("name"),
                  sql<string>`cast(${identity} as text)`.as("identity"),
                  sql<number>`cast(${turn} as bigint)`.as("turn"),
                  sql<number>`cast(${heir} as bigint)`.as("heir"),
                  sql<StoredServer["untold"]>`cast(${untold} as text)`.as("untold"),
                ])
                .where(isMarked),
            )
            .onConflict((conflict) => conflict.column("id").doUpdateSet({ turn, untold })),
        ),
      ];
    });
    return written === rows.length + 1;
  }

  /** Empty for a server that already has its name. */
  #arrival({ name, identity }: ServerKey, turn: number): Arrival[] {
    const known = this.#known.get(name) ?? [];
    const holder = holderOf(known);
    if (holder?.identity === identity) return [];
    const before = known.find((each) => each.identity === identity);
    const heir = before?.heir ?? (this.#hasNamedRows && known.length === 0 ? 1 : 0);
    // Users were not notified that it took the name, so for them it is not back.
    const isNew = !before || before.untold === "replaced";
    const untold = holder ? (isNew ? "replaced" : "back") : null;
    const row: StoredServer = {
      id: sha256(JSON.stringify([name, identity])),
      name,
      identity,
      turn,
      heir,
      untold,
    };
    if (untold) return [{ row, kind: untold }];
    return [heir === 1 ? { row, kind: "inherited" } : { row }];
  }

  #add(row: StoredServer): void {
    const others = this.#known.get(row.name)?.filter(({ id }) => id !== row.id) ?? [];
    this.#known.set(row.name, [...others, row]);
    this.#last = Math.max(this.#last, row.turn);
  }
}

const readServers = (engine: QueryEngine): Promise<StoredServer[]> =>
  ask(engine, (db) => db.selectFrom("vitrine_servers").selectAll().execute());

/** The server that took the name last has it. */
const holderOf = (known: readonly StoredServer[]): StoredServer | undefined =>
  known.toSorted((a, b) => b.turn - a.turn)[0];
