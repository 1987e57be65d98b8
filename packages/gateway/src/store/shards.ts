/**
 * Which node has which users. Users are in 256 shards, by a hash of their names; a shard belongs to one node.
 *
 * @module
 */
import { hash } from "node:crypto";
import { type Kysely, sql, type Transaction } from "kysely";
import type { Grant } from "./engine.js";
import { DATABASE_NOW, heldLease } from "./membership.js";
import type { TakenFrom } from "./owned-users.js";
import { indexable, type RowFields } from "./row.js";
import type { StoredShard, Tables } from "./schema.js";

/** Number of shards. It never changes: every node must find the same shard for a user. */
export const SHARDS = 256;

/** The shard of a user, from the name as the database stores it. */
export const shardOf = (user: string): number =>
  Number.parseInt(hash("sha256", indexable(user)).slice(0, 2), 16) % SHARDS;

/** The shard that a row's writer must have: only allowed calls have effects. */
export const shardOfEntry = ({ kind, decision, user }: RowFields): number | undefined =>
  kind === "entry" && decision === "allowed" && user ? shardOf(user) : undefined;

/** The owner of a shard. */
export type ShardOwner = Pick<StoredShard, "slot" | "fence">;

/** Whether the owner is the holder of this lease. */
export const isOwner = (owner: ShardOwner | undefined, { slot, fence }: Grant): boolean =>
  owner?.slot === slot && owner.fence === fence;

/** The owners of all shards, by shard. Shards that were never owned are missing. */
export async function readShards(db: Kysely<Tables>): Promise<Map<number, ShardOwner>> {
  const rows = await db.selectFrom("vitrine_shards").selectAll().execute();
  return new Map(rows.map(({ shard, slot, fence }) => [shard, { slot, fence }]));
}

/** The owner of a claimed shard, who may be another node. */
export interface ClaimedShard extends ShardOwner {
  /** Set if this node is the owner. */
  readonly from?: TakenFrom | undefined;
}

/** The outcome of a claim; or why there is no owner yet. */
export type Claimed = ClaimedShard | "lost" | "changed";

/**
 * Claims a shard that no live node has. `lost`: this node has lost its own lease. `changed`: another node was faster;
 * claim again.
 */
export const claimShard = (db: Kysely<Tables>, shard: number, grant: Grant): Promise<Claimed> =>
  db.transaction().execute(async (transaction): Promise<Claimed> => {
    const before = await readShard(transaction, shard);
    // The owner's row comes first, as in every statement that locks both: no deadlocks.
    if (before && !isOwner(before, grant) && !(await endLease(transaction, before))) return before;
    const now = await lockShard(transaction, shard);
    if (before && (now.slot !== before.slot || now.fence !== before.fence)) return "changed";
    if (!before && now.slot !== null) return "changed";
    if (!(await heldLease(transaction, grant).executeTakeFirst())) return "lost";
    const { slot, fence } = grant;
    await transaction.updateTable("vitrine_shards").set({ slot, fence }).where("shard", "=", shard).execute();
    const previous = before === undefined || before.slot === null ? "nobody" : "lost";
    return { slot, fence, from: before && isOwner(before, grant) ? "given" : previous };
  });

/** Gives shards back, so that other nodes can claim them. */
export async function releaseShards(
  db: Kysely<Tables>,
  shards: readonly number[],
  { slot, fence }: Grant,
): Promise<void> {
  if (shards.length === 0) return;
  await db
    .updateTable("vitrine_shards")
    .set({ slot: null, fence: 0 })
    .where("shard", "in", shards)
    .where("slot", "=", slot)
    .where("fence", "=", fence)
    .execute();
}

/**
 * Gives shards to another node, if that node is live and accepts users. Returns whether it has them now.
 */
export const giveShards = (
  db: Kysely<Tables>,
  shards: readonly number[],
  grant: Grant,
  to: Grant,
): Promise<boolean> =>
  db.transaction().execute(async (transaction) => {
    if (!(await heldLease(transaction, grant).executeTakeFirst())) return false;
    if (!(await heldLease(transaction, to).where("state", "=", "live").executeTakeFirst())) return false;
    await transaction
      .updateTable("vitrine_shards")
      .set({ slot: to.slot, fence: to.fence })
      .where("shard", "in", shards)
      .where("slot", "=", grant.slot)
      .where("fence", "=", grant.fence)
      .execute();
    return true;
  });

async function readShard(db: Transaction<Tables>, shard: number): Promise<ShardOwner | undefined> {
  return db
    .selectFrom("vitrine_shards")
    .select(["slot", "fence"])
    .where("shard", "=", shard)
    .executeTakeFirst();
}

async function lockShard(db: Transaction<Tables>, shard: number): Promise<ShardOwner> {
  await db
    .insertInto("vitrine_shards")
    .values({ shard, slot: null, fence: 0 })
    .onConflict((conflict) => conflict.column("shard").doNothing())
    .execute();
  return db
    .selectFrom("vitrine_shards")
    .select(["slot", "fence"])
    .where("shard", "=", shard)
    .forUpdate()
    .executeTakeFirstOrThrow();
}

/**
 * Ends the lease of a node if its time is over: with a new fence, the database refuses whatever the node still
 * writes. Waits for statements of the node that are being executed. Returns whether the lease has ended.
 */
export async function endLease(db: Transaction<Tables>, { slot, fence }: ShardOwner): Promise<boolean> {
  if (slot === null) return true;
  const row = await db
    .selectFrom("vitrine_nodes")
    .select(["fence", sql<boolean>`"expiresAt" > ${DATABASE_NOW}`.as("lasts")])
    .where("slot", "=", slot)
    .executeTakeFirst();
  if (row?.fence !== fence) return true;
  if (row.lasts) return false;
  // An update of the fence alone would not wait for the statements that hold the row.
  const over = await db
    .selectFrom("vitrine_nodes")
    .select("slot")
    .where("slot", "=", slot)
    .where("fence", "=", fence)
    .where("expiresAt", "<=", DATABASE_NOW)
    .forUpdate()
    .executeTakeFirst();
  if (over)
    await db
      .updateTable("vitrine_nodes")
      .set({ fence: fence + 1, state: "lost", expiresAt: 0 })
      .where("slot", "=", slot)
      .execute();
  if (over) return true;
  // It renewed its lease meanwhile, or another node was faster.
  const after = await db
    .selectFrom("vitrine_nodes")
    .select("fence")
    .where("slot", "=", slot)
    .executeTakeFirst();
  return after?.fence !== fence;
}
