/**
 * The history of servers' names. It is cached in memory, because there are few, and nobody else writes while
 * this process owns the database.
 *
 * @module
 */
import { ask, change, type DatabaseEngine } from "./engine.js";
import { sha256 } from "./row.js";
import { HAS_NAMED_ROWS, type StoredServer } from "./schema.js";
import type { KnownServers, ServerChange, ServerKey, ServerNews } from "./store.js";

/** A server to be recorded, and whether it takes over its name or inherits the name's data. */
interface Arrival {
  readonly row: StoredServer;
  readonly kind?: ServerChange["kind"] | undefined;
}

export class StoredServers implements KnownServers {
  readonly #engine: DatabaseEngine;
  /** Whether rows without an identity wait for their heirs. */
  readonly #hasNamedRows: boolean;
  readonly #known = new Map<string, StoredServer[]>();
  #last = 0;
  /** Names are taken one after the other. */
  #turn: Promise<unknown> = Promise.resolve();
  /** Servers that could not be written the last time. */
  #unwritten: readonly ServerKey[] | undefined;
  onlate: (changes: readonly ServerChange[]) => void = () => {};

  private constructor(engine: DatabaseEngine, rows: readonly StoredServer[], hasNamedRows: boolean) {
    this.#engine = engine;
    this.#hasNamedRows = hasNamedRows;
    for (const row of rows) this.#add(row);
  }

  static async open(engine: DatabaseEngine): Promise<StoredServers> {
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
    const arrivals = servers.flatMap((server, index) => this.#arrival(server, this.#last + 1 + index));
    if (arrivals.length === 0) return [];
    await change(this.#engine, (db) =>
      arrivals.map(({ row }) =>
        db
          .insertInto("vitrine_servers")
          .values(row)
          .onConflict((conflict) =>
            conflict.column("id").doUpdateSet({ turn: row.turn, untold: row.untold }),
          ),
      ),
    );
    for (const { row } of arrivals) this.#add(row);
    return arrivals.flatMap(({ row: { name, identity }, kind }) => (kind ? [{ name, identity, kind }] : []));
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

const readServers = (engine: DatabaseEngine): Promise<StoredServer[]> =>
  ask(engine, (db) => db.selectFrom("vitrine_servers").selectAll().execute());

/** The server that took the name last has it. */
const holderOf = (known: readonly StoredServer[]): StoredServer | undefined =>
  known.toSorted((a, b) => b.turn - a.turn)[0];
