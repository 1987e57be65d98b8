/**
 * Gives the calls of a lost node their outcome, so that its slot is free again. Nobody can know whether a call without
 * an outcome ran, so it is `indeterminate`; it never runs again.
 *
 * @module
 */
import { type Kysely, type RawBuilder, sql } from "kysely";
import { readHead, readSettled, readUnfinished } from "./audit-reader.js";
import { ROWS_OF_SLOT, slotOf } from "./chains.js";
import type { DatabaseEngine, Grant } from "./engine.js";
import { DATABASE_NOW, LEASE } from "./membership.js";
import { chainRow, type StoredRow } from "./row.js";
import type { Tables } from "./schema.js";

/** Rows of a commit. */
const GROUP = 100;

/**
 * Settles a lost slot, unless another node does it already.
 *
 * @param now milliseconds since 1970
 * @returns whether the slot is free now
 */
export async function settleSlot(engine: DatabaseEngine, slot: number, now: () => number): Promise<boolean> {
  const grant = await takeLost(engine.db, slot);
  if (!grant) return false;
  await appendOutcomes(engine, slot, now, async (rows) => {
    await engine.append(rows, grant);
    await engine.db
      .updateTable("vitrine_nodes")
      .set({ expiresAt: sql`${DATABASE_NOW} + ${LEASE}` })
      .where("slot", "=", slot)
      .where("fence", "=", grant.fence)
      .execute();
  });
  await engine.db
    .updateTable("vitrine_nodes")
    .set({ state: "free", fence: grant.fence + 1, expiresAt: 0 })
    .where("slot", "=", slot)
    .where("fence", "=", grant.fence)
    .execute();
  return true;
}

/**
 * Adds slots that have rows in the audit log, and no row in the table of nodes, because somebody deleted it. They count as lost,
 * as soon as a node that had one has noticed it.
 */
export async function restoreSlots(db: Kysely<Tables>): Promise<void> {
  const next = (from: RawBuilder<unknown>): RawBuilder<unknown> =>
    sql`(select seq / ${ROWS_OF_SLOT}::bigint from vitrine_audit where seq >= ${from} order by seq limit 1)`;
  await sql`with recursive slots (slot) as (
      select ${next(sql`0`)} union all select ${next(sql`(slot + 1) * ${ROWS_OF_SLOT}::bigint`)} from slots where slot is not null
    )
    insert into vitrine_nodes (slot, node, fence, address, version, fingerprint, state, "expiresAt")
    select slot, '', ${DATABASE_NOW}, '', '', '', 'lost', ${DATABASE_NOW} + ${LEASE}::bigint from slots where slot is not null
    on conflict (slot) do nothing`.execute(db);
}

/** Settles all slots of earlier nodes, for a gateway that has the database alone. */
export async function settleAll(engine: DatabaseEngine, now: () => number): Promise<void> {
  await restoreSlots(engine.db);
  const nodes = await engine.db
    .selectFrom("vitrine_nodes")
    .select("slot")
    .where("state", "!=", "free")
    .execute();
  for (const { slot } of nodes) {
    await appendOutcomes(engine, slot, now, (rows) => engine.append(rows));
    await engine.db
      .updateTable("vitrine_nodes")
      .set(({ eb }) => ({ state: "free" as const, fence: eb("fence", "+", 1), expiresAt: 0 }))
      .where("slot", "=", slot)
      .execute();
  }
}

/** Takes the slot of a lost node, if nobody else settles it. */
const takeLost = (db: Kysely<Tables>, slot: number): Promise<Grant | undefined> =>
  db.transaction().execute(async (transaction) => {
    const row = await transaction
      .selectFrom("vitrine_nodes")
      .select("fence")
      .where("slot", "=", slot)
      .where("state", "=", "lost")
      .where("expiresAt", "<=", DATABASE_NOW)
      .forUpdate()
      .skipLocked()
      .executeTakeFirst();
    if (!row) return undefined;
    const fence = row.fence + 1;
    await transaction
      .updateTable("vitrine_nodes")
      .set({ fence, expiresAt: sql`${DATABASE_NOW} + ${LEASE}` })
      .where("slot", "=", slot)
      .execute();
    return { slot, fence };
  });

async function appendOutcomes(
  engine: DatabaseEngine,
  slot: number,
  now: () => number,
  append: (rows: readonly StoredRow[]) => Promise<void>,
): Promise<void> {
  const unfinished = await readUnfinished(engine, await readSettled(engine, slot));
  let head = await readHead(engine, slot);
  for (let done = 0; done < unfinished.length; done += GROUP) {
    const rows: StoredRow[] = [];
    for (const { seq, user, actor, view, server, identity, method, target } of unfinished.slice(
      done,
      done + GROUP,
    )) {
      const row = chainRow(head, now(), {
        kind: "outcome",
        of: seq,
        user,
        actor,
        view,
        server,
        identity,
        method,
        target,
        outcome: "indeterminate",
        duration: 0,
      });
      rows.push(row);
      head = row;
    }
    await append(rows);
  }
  if (slotOf(head.seq) !== slot) throw new RangeError(`slot ${slot} of the audit log is full`);
}
