/**
 * The lease of a slot without a node, for work on its chain: outcomes of interrupted calls, and retention. As long as it
 * lasts, no node that joins gets the slot, and no other node works on it.
 *
 * @module
 */
import { type Kysely, sql } from "kysely";
import type { Grant } from "./engine.js";
import { DATABASE_NOW, LEASE, RENEWAL } from "./membership.js";
import type { Tables } from "./schema.js";

/** A slot that this process works on. If the process dies, the slot counts as that of a lost node. */
export class SlotLease {
  readonly grant: Grant;
  readonly #db: Kysely<Tables>;

  private constructor(db: Kysely<Tables>, grant: Grant) {
    this.#db = db;
    this.grant = grant;
  }

  /** Takes the slot, if it has this state and nobody else works on it. */
  static take(db: Kysely<Tables>, slot: number, state: "lost" | "free"): Promise<SlotLease | undefined> {
    return db.transaction().execute(async (transaction) => {
      // A node that joins locks the table, and then rows: in the same order here, so that neither waits for the other.
      await sql`lock table vitrine_nodes in row exclusive mode`.execute(transaction);
      const row = await transaction
        .selectFrom("vitrine_nodes")
        .select("fence")
        .where("slot", "=", slot)
        .where("state", "=", state)
        .where("expiresAt", "<=", DATABASE_NOW)
        .forUpdate()
        .skipLocked()
        .executeTakeFirst();
      if (!row) return undefined;
      const fence = row.fence + 1;
      await transaction
        .updateTable("vitrine_nodes")
        .set({
          fence,
          state: "lost",
          expiresAt: sql`${DATABASE_NOW} + ${LEASE}`,
          ...(state === "free" && { node: "" }),
        })
        .where("slot", "=", slot)
        .execute();
      return new SlotLease(db, { slot, fence });
    });
  }

  /** Lets the lease last for another {@link LEASE}. */
  async renew(): Promise<void> {
    await this.#own()
      .set({ expiresAt: sql`${DATABASE_NOW} + ${LEASE}` })
      .execute();
  }

  /** Renews the lease until the work is done, and then gives the slot back. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    // A renewal that fails lets the lease end: then the database refuses what the work writes.
    const timer = setInterval(() => void this.renew().catch(() => {}), RENEWAL);
    try {
      const done = await work();
      clearInterval(timer);
      await this.free();
      return done;
    } finally {
      clearInterval(timer);
    }
  }

  /** Gives the slot back: a node that joins may take it. */
  async free(): Promise<void> {
    await this.#own()
      .set({ state: "free", fence: this.grant.fence + 1, expiresAt: 0 })
      .execute();
  }

  #own() {
    const { slot, fence } = this.grant;
    return this.#db.updateTable("vitrine_nodes").where("slot", "=", slot).where("fence", "=", fence);
  }
}
