/**
 * Fenced writes: the statement that writes also checks that the node still has its slot and its users. The
 * database refuses an old owner, whatever that owner believes.
 *
 * @module
 */
import { GatewayError } from "@vitrine/wire";
import type { Transaction } from "kysely";
import type pg from "pg";
import { type Grant, ShardsMoved } from "./engine.js";
import { heldLease } from "./membership.js";
import { FIELDS, type StoredRow } from "./row.js";
import type { Tables } from "./schema.js";
import { shardOf, shardOfEntry } from "./shards.js";

const COLUMNS = [...FIELDS, "hash"].map((name) => `"${name}"`).join(", ");
/** The same clock as in `membership.ts`. */
const NOW = "(extract(epoch from clock_timestamp()) * 1000)::bigint";

/**
 * The locks are held until the commit: whoever takes the slot or a shard waits for it. The slot comes first, as in every
 * statement that locks both.
 */
const LEASE = `select 1 from vitrine_nodes where slot = $1 and fence = $2 and "expiresAt" > ${NOW} for key share`;
const HELD = `select shard from vitrine_shards where slot = $1 and fence = $2 and shard = any($3::int[])
  and exists (select 1 from lease) for share`;
const APPEND = `with lease as (${LEASE}), held as (${HELD})
insert into vitrine_audit (${COLUMNS}) select ${COLUMNS} from json_populate_recordset(null::vitrine_audit, $4::json)
where exists (select 1 from lease) and (select count(*) from held) = cardinality($3::int[])`;

/**
 * Adds rows with a lease.
 *
 * @throws {ShardsMoved}, {GatewayError} `audit-failed` without a lease; then nothing was written
 */
export async function appendFenced(
  client: pg.Client,
  rows: readonly StoredRow[],
  { slot, fence }: Grant,
): Promise<void> {
  const shards = new Set(rows.map(shardOfEntry).filter((shard) => shard !== undefined));
  const { rowCount } = await client.query({
    name: "vitrine-append-fenced",
    text: APPEND,
    values: [slot, fence, [...shards], JSON.stringify(rows)],
  });
  if (rowCount === rows.length) return;
  const { rows: held } = await client.query<{ shard: number }>(
    `with lease as (${LEASE}) ${HELD.replace("for share", "")}`,
    [slot, fence, [...shards]],
  );
  const lost = new Set(shards);
  for (const { shard } of held) lost.delete(shard);
  if (held.length === 0) {
    const { rowCount: leases } = await client.query(LEASE, [slot, fence]);
    if (leases === 0) throw new LeaseOver();
  }
  throw new ShardsMoved(lost);
}

/**
 * Checks in a transaction that a node may write, and keeps it so until the end of the transaction.
 *
 * @throws {GatewayError} `audit-failed` without a lease; `stopping` if another node has the user
 */
export async function checkFence(
  transaction: Transaction<Tables>,
  grant: Grant,
  user: string | undefined,
): Promise<void> {
  if (!(await heldLease(transaction, grant).executeTakeFirst())) throw new LeaseOver();
  if (user === undefined) return;
  const held = await transaction
    .selectFrom("vitrine_shards")
    .select("shard")
    .where("shard", "=", shardOf(user))
    .where("slot", "=", grant.slot)
    .where("fence", "=", grant.fence)
    .forShare()
    .executeTakeFirst();
  if (!held) throw new GatewayError("stopping", "another node of the gateway serves this user now");
}

/** The database refused a change: this node may not write with its lease any more. */
export class LeaseOver extends GatewayError {
  constructor(cause?: unknown) {
    super(
      "audit-failed",
      "the lease of this node is over: it did not reach the database in time, so other nodes serve its users",
      { cause },
    );
  }
}

/** Whether an error has a lease that is over as its cause. */
export const isLeaseOver = (error: unknown): boolean =>
  error instanceof LeaseOver || (error instanceof Error && isLeaseOver(error.cause));
