/**
 * The connections of a node for its lease and its users. They are its own, and statements on them have short
 * timeouts, so that a busy store does not cost the node its lease.
 *
 * @module
 */
import type { Kysely } from "kysely";
import type { NodeTables } from "./balance.js";
import type { Grant } from "./engine.js";
import { endOverdue, FutureLeases } from "./future-leases.js";
import { KnownShards } from "./known-shards.js";
import { LeaseRenewal } from "./lease-renewal.js";
import { LEASE, Membership, RENEWAL, readNodes } from "./membership.js";
import type { NodeIdentity } from "./owned-users.js";
import { openPool } from "./postgres-pool.js";
import type { StoredNode, Tables } from "./schema.js";
import {
  type Claimed,
  claimShard,
  endLease,
  giveShards,
  isOwner,
  readShards,
  releaseShards,
  type ShardOwner,
  shardOf,
} from "./shards.js";

/** Milliseconds for a statement about users. */
const STATEMENT = LEASE - RENEWAL;
/** Milliseconds for a renewal: a second one on another connection is still in time. */
const RENEWING = RENEWAL;
/** Milliseconds for joining, which waits for other nodes that join. */
const JOINING = 10_000;

/** This process as a node of a gateway. */
export class JoinedNode {
  readonly #db: Kysely<Tables>;
  /** A connection for renewals alone: claims of many users at once do not delay them. */
  readonly #leaseDb: Kysely<Tables>;
  readonly #membership: Membership;
  readonly #renewal: LeaseRenewal;
  #nodes: readonly StoredNode[] = [];
  #now = 0;
  readonly #shards = new KnownShards();
  readonly #future = new FutureLeases();

  private constructor(db: Kysely<Tables>, leaseDb: Kysely<Tables>, membership: Membership) {
    this.#db = db;
    this.#leaseDb = leaseDb;
    this.#membership = membership;
    this.#renewal = new LeaseRenewal(
      () => membership.renew(),
      () => membership.remaining,
    );
  }

  /**
   * Takes a free slot, and renews its lease until {@link leave}.
   *
   * @throws {GatewayError} `config-invalid` if the other nodes do not fit
   */
  static async join(url: string, identity: NodeIdentity): Promise<JoinedNode> {
    const joining = connect(url, 1, JOINING);
    const [db, leaseDb] = [connect(url, 3, STATEMENT), connect(url, 1, RENEWING)];
    let joined: JoinedNode | undefined;
    try {
      joined = new JoinedNode(db, leaseDb, await Membership.join({ db: leaseDb, identity }, joining));
      await joined.#refresh(joining);
      return joined;
    } catch (error) {
      await joined?.leave();
      await Promise.all([db.destroy(), leaseDb.destroy()]);
      throw error;
    } finally {
      await joining.destroy();
    }
  }

  get grant(): Grant {
    return this.#membership.grant;
  }

  get identity(): NodeIdentity {
    return this.#membership.identity;
  }

  /** Whether another node took the slot: this process cannot act with this lease again. */
  get isLost(): boolean {
    return this.#membership.isLost;
  }

  get isDraining(): boolean {
    return this.#membership.isDraining;
  }

  /** The shards that this node had at the last {@link refresh}. */
  get owned(): number[] {
    return [...this.#shards.all].filter(([, owner]) => isOwner(owner, this.grant)).map(([shard]) => shard);
  }

  /** Slots whose nodes are gone, and whose calls wait for their outcomes. */
  get lostSlots(): number[] {
    return this.#nodes
      .filter(({ state, expiresAt }) => state === "lost" && expiresAt <= this.#now)
      .map(({ slot }) => slot);
  }

  /** Nodes whose time is over, although nobody has ended their leases yet. */
  get expired(): ShardOwner[] {
    return this.#nodes.filter(
      ({ state, expiresAt }) => (state === "live" || state === "draining") && expiresAt <= this.#now,
    );
  }

  /** Number of nodes by state, as known here. A node whose time is over is lost; a slot without a node does not count. */
  get states(): Record<"live" | "draining" | "lost", number> {
    const states = { live: 0, draining: 0, lost: 0 };
    for (const { node, state, expiresAt } of this.#nodes)
      if (state !== "free" && node !== "") states[expiresAt > this.#now ? state : "lost"]++;
    return states;
  }

  /** The nodes and their shards, as known here. */
  get tables(): NodeTables {
    return { nodes: this.#nodes, now: this.#now, shards: this.#shards.all.values() };
  }

  /** Whether this node may act now. */
  get isLeased(): boolean {
    return this.#membership.isValid;
  }

  /** Number of failed renewals. */
  get leaseFailures(): number {
    return this.#renewal.failures;
  }

  /** Milliseconds since the last renewal that the database confirmed. */
  get leaseAge(): number {
    return this.#membership.age;
  }

  /** Whether this node may act for the user now. */
  holds(user: string): boolean {
    return this.holdsShard(shardOf(user));
  }

  /** Whether this node may act for the users of a shard now. */
  holdsShard(shard: number): boolean {
    return this.#membership.isValid && isOwner(this.#shards.get(shard), this.grant);
  }

  /** The owner of a user, as known here. */
  ownerOf(user: string): ShardOwner | undefined {
    return this.#shards.get(shardOf(user));
  }

  /** The live node with this slot and fence, as known here. */
  nodeOf({ slot, fence }: ShardOwner): StoredNode | undefined {
    return this.#nodes.find(
      (node) => node.slot === slot && node.fence === fence && node.expiresAt > this.#now,
    );
  }

  /** Whether another live node has a user, as known here. */
  isElsewhere(user: string): boolean {
    const owner = this.ownerOf(user);
    return owner !== undefined && !isOwner(owner, this.grant) && this.nodeOf(owner) !== undefined;
  }

  /** Nodes that accept users, this one included. */
  get accepting(): StoredNode[] {
    return this.#nodes.filter(({ state, expiresAt }) => state === "live" && expiresAt > this.#now);
  }

  /** Adds a listener for the end of the lease by another node. */
  onLost(listener: () => void): () => void {
    if (this.isLost) queueMicrotask(listener);
    return this.#renewal.lost.add(listener);
  }

  /** Adds a listener for the end of the lease, which this node could not renew in time: it acts no more until it can. */
  onLapsed(listener: () => void): () => void {
    return this.#renewal.lapsed.add(listener);
  }

  /** Adds a listener for renewals that fail: once, until one succeeds. */
  onFailed(listener: (error: unknown) => void): () => void {
    return this.#renewal.failed.add(listener);
  }

  /** Lets the lease end. */
  stopRenewing(): void {
    this.#renewal.stop();
  }

  /** Reads who has which users. */
  refresh(): Promise<void> {
    return this.#refresh(this.#db);
  }

  async #refresh(db: Kysely<Tables>): Promise<void> {
    const read = this.#shards.begin();
    const [{ nodes, now }, shards] = await Promise.all([readNodes(db), readShards(db)]);
    if (!this.#shards.take(read, shards)) return;
    this.#nodes = nodes;
    this.#now = now;
  }

  /** Claims a shard, unless a live node has it. */
  async claim(shard: number): Promise<Claimed> {
    const claimed = await claimShard(this.#db, shard, this.grant);
    if (typeof claimed === "object") this.#shards.change(shard, claimed);
    return claimed;
  }

  /** Gives shards to another node. Resolves with false if that node cannot take them. */
  async give(shards: readonly number[], { slot, fence }: Grant): Promise<boolean> {
    const isGiven = await giveShards(this.#db, shards, this.grant, { slot, fence });
    if (isGiven) for (const shard of shards) this.#shards.change(shard, { slot, fence });
    return isGiven;
  }

  /** Lets leases end that are in the future, and that nobody renews. */
  async endOverdue(): Promise<void> {
    for (const lease of this.#future.overdue(this.#nodes, this.#now)) await endOverdue(this.#db, lease);
  }

  /** Ends the lease of a node whose time is over. */
  end(owner: ShardOwner): Promise<boolean> {
    return this.#db.transaction().execute((db) => endLease(db, owner));
  }

  /** Gives users back, so that other nodes can claim them. */
  async release(shards: readonly number[]): Promise<void> {
    await releaseShards(this.#db, shards, this.grant);
    for (const shard of shards) this.#shards.change(shard, undefined);
  }

  drain(): Promise<void> {
    return this.#membership.drain();
  }

  /** Gives everything back. */
  async leave(): Promise<void> {
    this.stopRenewing();
    // Then nothing is left to give back.
    if (this.isLost) return;
    // A database that does not answer ends the lease by itself.
    await this.release(this.owned).catch(() => {});
    await this.#membership.leave().catch(() => {});
  }

  async close(): Promise<void> {
    this.stopRenewing();
    await Promise.all([this.#db.destroy(), this.#leaseDb.destroy()]);
  }
}

/** Opens connections on which no statement takes longer than `time` milliseconds. */
const connect = (url: string, max: number, time: number): Kysely<Tables> =>
  openPool({
    connectionString: url,
    max,
    connectionTimeoutMillis: time,
    statement_timeout: time,
    query_timeout: time,
    // A frozen node must not keep others waiting for its locks.
    idle_in_transaction_session_timeout: time,
    keepAlive: true,
    application_name: "vitrine-node",
  });
