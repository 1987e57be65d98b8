/**
 * The lease of a node on its slot. Times are the database's; the node itself compares only durations of its
 * own monotonic clock, which goes on while the process is frozen.
 *
 * @module
 */
import { messageOf } from "@vitrine/servers/support";
import { GatewayError } from "@vitrine/wire";
import { type Kysely, sql, type Transaction } from "kysely";
import { FIRST_SLOT, MAX_SLOTS } from "./chains.js";
import type { Grant } from "./engine.js";
import type { NodeIdentity } from "./owned-users.js";
import { isConflict } from "./postgres-pool.js";
import type { StoredNode, Tables } from "./schema.js";

/** Milliseconds that a lease lasts after its last renewal. */
export const LEASE = 3000;
/** Milliseconds between renewals. */
export const RENEWAL = 1000;
/**
 * Milliseconds by which a node considers its own lease shorter than the database does: clocks of two machines
 * drift, and a check takes time.
 */
const MARGIN = 500;
/** How often a node tries to join while the database gives precedence to others. */
const JOIN_ATTEMPTS = 5;

/** The database's clock, in milliseconds since 1970. */
export const DATABASE_NOW = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/** Locks a node's row against a change of its fence, but not against renewals. */
export const heldLease = (db: Kysely<Tables> | Transaction<Tables>, { slot, fence }: Grant) =>
  db
    .selectFrom("vitrine_nodes")
    .select(sql<number>`1`.as("held"))
    .where("slot", "=", slot)
    .where("fence", "=", fence)
    .where("expiresAt", ">", DATABASE_NOW)
    .forKeyShare();

/** Whether a node's lease is valid, as the database saw it. */
export const isAlive = ({ state, expiresAt }: StoredNode, now: number): boolean =>
  (state === "live" || state === "draining") && expiresAt > now;

/** Options of {@link Membership}. */
export interface MembershipOptions {
  /** Its own connection, so that a busy store does not delay renewals. */
  readonly db: Kysely<Tables>;
  readonly identity: NodeIdentity;
  /** A monotonic clock in milliseconds. */
  readonly clock?: (() => number) | undefined;
}

/** The lease of this process. */
export class Membership {
  readonly grant: Grant;
  readonly identity: NodeIdentity;
  readonly #db: Kysely<Tables>;
  readonly #clock: () => number;
  /** Until when the lease certainly lasts, by the monotonic clock. */
  #until: number;
  #isLost = false;
  #state: "live" | "draining" = "live";

  private constructor({ db, identity, clock }: MembershipOptions, grant: Grant, until: number) {
    this.#db = db;
    this.identity = identity;
    this.#clock = clock ?? (() => performance.now());
    this.grant = grant;
    this.#until = until;
  }

  /**
   * Takes a free slot.
   *
   * @param joining for statements that may wait for other nodes that join
   * @throws {GatewayError} `config-invalid` if the other nodes have another fingerprint or version of the data
   */
  static async join(options: MembershipOptions, joining: Kysely<Tables>): Promise<Membership> {
    const clock = options.clock ?? (() => performance.now());
    for (let attempt = 1; ; attempt++) {
      const began = clock();
      try {
        const grant = await joining.transaction().execute((db) => takeSlot(db, options.identity));
        return new Membership(options, grant, began + LEASE - MARGIN);
      } catch (error) {
        if (!isConflict(error) || attempt === JOIN_ATTEMPTS) throw error;
      }
    }
  }

  /** Whether this node may act now. */
  get isValid(): boolean {
    return !this.#isLost && this.#clock() < this.#until;
  }

  /** Milliseconds until the lease ends in the database, unless it is renewed. This node stops acting a little earlier. */
  get remaining(): number {
    return this.#until + MARGIN - this.#clock();
  }

  /** Milliseconds since the last renewal that the database confirmed. */
  get age(): number {
    return this.#clock() - (this.#until - LEASE + MARGIN);
  }

  /** Whether another node took the slot: this process can never act again with this lease. */
  get isLost(): boolean {
    return this.#isLost;
  }

  get isDraining(): boolean {
    return this.#state === "draining";
  }

  /**
   * Renews the lease; resolves to whether this node still has it.
   *
   * @throws {Error} if the database does not answer: then it is unknown
   */
  async renew(): Promise<boolean> {
    const began = this.#clock();
    const { slot, fence } = this.grant;
    const { numUpdatedRows } = await this.#db
      .updateTable("vitrine_nodes")
      .set({ expiresAt: sql`${DATABASE_NOW} + ${LEASE}`, state: this.#state })
      .where("slot", "=", slot)
      .where("fence", "=", fence)
      .where("node", "=", this.identity.node)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) this.#isLost = true;
    else this.#until = began + LEASE - MARGIN;
    return !this.#isLost;
  }

  /** Tells the others that this node accepts no more users. */
  async drain(): Promise<void> {
    this.#state = "draining";
    await this.renew();
  }

  /** Gives the slot back. Call it when nothing of this node can act or write any more. */
  async leave(): Promise<void> {
    this.#isLost = true;
    const { slot, fence } = this.grant;
    await this.#db
      .updateTable("vitrine_nodes")
      .set({ state: "free", fence: fence + 1, expiresAt: 0 })
      .where("slot", "=", slot)
      .where("fence", "=", fence)
      .execute();
  }
}

/** All nodes that have or had a slot, and the database's time. */
export async function readNodes(db: Kysely<Tables>): Promise<{ nodes: StoredNode[]; now: number }> {
  const rows = await db.selectFrom("vitrine_nodes").selectAll().select(DATABASE_NOW.as("now")).execute();
  return { nodes: rows, now: Number(rows[0]?.now ?? 0) };
}

/**
 * Takes the lowest free slot. The whole table is locked: two nodes that start at once get two slots, and see
 * each other.
 */
async function takeSlot(db: Transaction<Tables>, identity: NodeIdentity): Promise<Grant> {
  await sql`lock table vitrine_nodes in share row exclusive mode`.execute(db);
  const { nodes, now } = await readNodes(db);
  for (const other of nodes)
    if (isAlive(other, now) && other.fingerprint !== identity.fingerprint) throw mismatch(other, identity);
  const taken = new Map(nodes.map((each) => [each.slot, each]));
  const slot = lowestFree(taken);
  // A time is higher than all earlier fences, even if somebody has deleted the row that had them.
  const fence = sql<number>`greatest(${DATABASE_NOW}, ${(taken.get(slot)?.fence ?? 0) + 1}::bigint)`;
  const { node, address, version, fingerprint } = identity;
  const fields = { node, address, version, fingerprint, fence, state: "live" as const };
  const expiresAt = sql<number>`${DATABASE_NOW} + ${LEASE}`;
  return db
    .insertInto("vitrine_nodes")
    .values({ slot, ...fields, expiresAt })
    .onConflict((conflict) => conflict.column("slot").doUpdateSet({ ...fields, expiresAt }))
    .returning(["slot", "fence"])
    .executeTakeFirstOrThrow();
}

/** The lowest slot that no node has. A lost node's slot is free when its calls have their outcomes. */
function lowestFree(taken: ReadonlyMap<number, StoredNode>): number {
  for (let slot = FIRST_SLOT; slot < MAX_SLOTS; slot++) {
    const state = taken.get(slot)?.state;
    if (state === undefined || state === "free") return slot;
  }
  throw new GatewayError("config-invalid", `there are ${MAX_SLOTS} nodes already`);
}

const mismatch = (other: StoredNode, own: NodeIdentity): GatewayError =>
  new GatewayError(
    "config-invalid",
    `this node does not fit the node at ${other.address} (version ${other.version}): their secrets differ, or this one (version ${own.version}) cannot share its data. Give all nodes the same "nodes.secret" and VITRINE_KEY, and versions that fit`,
  );

/** The error of a renewal without an answer. */
export const noLease = (cause: unknown): GatewayError =>
  new GatewayError("audit-failed", `the lease of this node cannot be renewed: ${messageOf(cause)}`, {
    cause,
  });
