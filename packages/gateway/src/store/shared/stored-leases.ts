/**
 * Leases for the refresh of tokens: one node at a time refreshes a token.
 *
 * @module
 */
import type { RefreshLease, RefreshLeases } from "@vitrine/servers";
import { ask, change, type QueryEngine } from "../engine.js";
import { sha256 } from "../row.js";
import { databaseTime } from "./tables.js";

/** Milliseconds after which a lease ends by itself. Longer than a refresh may take. */
const LIFETIME = 45_000;

/** The leases of all nodes, in the database's time. */
export class StoredLeases implements RefreshLeases {
  readonly #engine: QueryEngine;
  readonly #lifetime: number;

  constructor(engine: QueryEngine, lifetime = LIFETIME) {
    this.#engine = engine;
    this.#lifetime = lifetime;
  }

  async take(key: string): Promise<RefreshLease | undefined> {
    const id = sha256(key);
    const now = databaseTime(this.#engine.kind);
    const taken = await ask(this.#engine, (db) =>
      db
        .insertInto("vitrine_refreshes")
        .values(({ eb }) => ({ id, fence: 1, until: eb(now, "+", this.#lifetime) }))
        .onConflict((conflict) =>
          conflict
            .column("id")
            .doUpdateSet(({ eb }) => ({
              fence: eb("vitrine_refreshes.fence", "+", 1),
              until: eb(now, "+", this.#lifetime),
            }))
            .where("vitrine_refreshes.until", "<", now),
        )
        .returning("fence")
        .executeTakeFirst(),
    );
    return taken && { release: () => this.#release(id, taken.fence) };
  }

  /** Does nothing if the lease has ended, and another node has it. */
  async #release(id: string, fence: number): Promise<void> {
    await change(this.#engine, (db) =>
      db.updateTable("vitrine_refreshes").set({ until: 0 }).where("id", "=", id).where("fence", "=", fence),
    );
  }
}
