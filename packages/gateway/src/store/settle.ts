/**
 * Gives the calls of a lost node their outcome, so that its slot is free again. Nobody can know whether a call without
 * an outcome ran, so it is `indeterminate`; it never runs again.
 *
 * @module
 */
import { type Kysely, sql } from "kysely";
import { readHead, readSettled, readUnfinished } from "./audit-reader.js";
import { slotsInLog } from "./chain-verification.js";
import { slotOf } from "./chains.js";
import type { DatabaseEngine } from "./engine.js";
import { DATABASE_NOW, LEASE } from "./membership.js";
import { chainRow, type StoredRow } from "./row.js";
import type { Tables } from "./schema.js";
import { SlotLease } from "./slot-lease.js";

/** Rows of a commit. */
const GROUP = 100;

/**
 * Settles a lost slot, unless another node does it already.
 *
 * @param now milliseconds since 1970
 * @returns whether the slot is free now
 */
export async function settleSlot(engine: DatabaseEngine, slot: number, now: () => number): Promise<boolean> {
  const lease = await SlotLease.take(engine.db, slot, "lost");
  if (!lease) return false;
  await appendOutcomes(engine, slot, now, async (rows) => {
    await engine.append(rows, lease.grant);
    await lease.renew();
  });
  await lease.free();
  return true;
}

/**
 * Adds slots that have rows in the audit log, and no row in the table of nodes, because somebody deleted it. They count as lost,
 * as soon as a node that had one has noticed it.
 */
export async function restoreSlots(db: Kysely<Tables>): Promise<void> {
  await sql`insert into vitrine_nodes (slot, node, fence, address, version, fingerprint, state, "expiresAt")
    select slot, '', ${DATABASE_NOW}, '', '', '', 'lost', ${DATABASE_NOW} + ${LEASE}::bigint from (${slotsInLog()}) as found
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
