/**
 * Retention of chains whose nodes are gone. Exactly one node works on such a chain at a time: it has the lease of the slot,
 * and the database checks the fence of that lease with every change.
 *
 * @module
 */
import { GatewayError } from "@vitrine/wire";
import { StoredAuditLog } from "./audit-log.js";
import { readHead } from "./audit-reader.js";
import { AuditWriter } from "./audit-writer.js";
import { endOf, startOf } from "./chains.js";
import { ask, type DatabaseEngine, type Grant } from "./engine.js";
import type { LegalHolds } from "./legal-holds.js";
import { sharePace } from "./pace.js";
import { SlotLease } from "./slot-lease.js";
import type { PruneOptions } from "./store.js";

/** Maximum rows that are verified before rows are removed. */
const CHECKED = 100_000;
/** Rows that may wait: those of retention come one by one. */
const LIMITS = { waiting: 1000, weight: 1_000_000 };

/** The database, and whatever is the same for all chains. */
export interface FreeSlotsOptions {
  readonly engine: DatabaseEngine;
  readonly holds: Pick<LegalHolds, "list">;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Removes rows older than `before` from all chains without a node. A chain that cannot be pruned stops no other.
 *
 * @returns the number of rows
 * @throws the first error, after all chains
 */
export async function pruneFreeSlots(
  options: FreeSlotsOptions,
  before: number,
  prune: PruneOptions,
): Promise<number> {
  const { engine } = options;
  const slots = await ask(engine, (db) =>
    db.selectFrom("vitrine_nodes").select("slot").where("state", "=", "free").orderBy("slot").execute(),
  );
  let removed = 0;
  let failed: { error: unknown } | undefined;
  for (const { slot } of slots)
    try {
      if (await hasWork(engine, slot, before)) removed += await pruneSlot(options, slot, before, prune);
    } catch (error) {
      failed ??= { error };
    }
  if (failed) throw failed.error;
  return removed;
}

/** Whether the chain has old rows, or rows that only a hold keeps. */
async function hasWork(engine: DatabaseEngine, slot: number, before: number): Promise<boolean> {
  const found = await ask(engine, (db) =>
    Promise.all(
      (["vitrine_audit", "vitrine_held"] as const).map((table) =>
        db
          .selectFrom(table)
          .select(["seq", "time"])
          .where("seq", ">", startOf(slot).seq)
          .where("seq", "<=", endOf(slot))
          .orderBy("seq")
          .limit(1)
          .executeTakeFirst(),
      ),
    ),
  );
  const [oldest, held] = found;
  return held !== undefined || (oldest !== undefined && oldest.time < before);
}

/** Prunes one chain, unless another node has taken its slot meanwhile. */
async function pruneSlot(
  options: FreeSlotsOptions,
  slot: number,
  before: number,
  prune: PruneOptions,
): Promise<number> {
  const { engine } = options;
  // A gateway alone has the whole database.
  if (!engine.grant) return pruneChain(options, slot, undefined, before, prune);
  const lease = await SlotLease.take(engine.db, slot, "free");
  if (!lease) return 0;
  return lease.during(() => pruneChain(options, slot, lease.grant, before, prune));
}

async function pruneChain(
  { engine, holds, now }: FreeSlotsOptions,
  slot: number,
  grant: Grant | undefined,
  before: number,
  prune: PruneOptions,
): Promise<number> {
  const own = withGrant(engine, grant);
  const writer = new AuditWriter(own, await readHead(own, slot), {
    now,
    onalarm: () => {},
    limits: LIMITS,
    readHead: () => readHead(own, slot),
  });
  const log = new StoredAuditLog(own, writer, holds);
  try {
    const found = await log.verifyStart(CHECKED, []);
    if (!found.ok)
      throw new GatewayError("audit-failed", `no row of slot ${slot} is removed: ${found.message}`);
    await log.start();
    return await log.prune(before, prune);
  } finally {
    await log.close();
  }
}

/** The database as the holder of another slot uses it. */
function withGrant(engine: DatabaseEngine, grant: Grant | undefined): DatabaseEngine {
  const own: DatabaseEngine = {
    kind: engine.kind,
    grant,
    db: engine.db,
    append: (rows) => engine.append(rows, grant),
    change: (queries, user) => engine.change(queries, user, grant),
    isBusy: (error) => engine.isBusy(error),
    recover: () => engine.recover(),
    shrink: async () => false,
    compact: async () => false,
    onlost: () => {},
    close: async () => {},
  };
  sharePace(own, engine);
  return own;
}
