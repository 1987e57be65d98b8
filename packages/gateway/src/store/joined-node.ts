/**
 * The connections of a node for its lease and its users. They are its own, and statements on them have short
 * timeouts, so that a busy store does not cost the node its lease.
 *
 * @module
 */
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import type { Grant } from "./engine.js";
import { LEASE, Membership, RENEWAL, readNodes } from "./membership.js";
import type { NodeIdentity } from "./owned-users.js";
import type { StoredNode, Tables } from "./schema.js";
import {
  type Claimed,
  claimShard,
  endLease,
  isOwner,
  readShards,
  releaseShards,
  type ShardOwner,
  shardOf,
} from "./shards.js";

/** The type of `bigint` columns: their values here are safe integers. */
const INT8 = 20;

/** Milliseconds for a statement: a renewal that takes longer comes too late. */
const STATEMENT = LEASE - RENEWAL;

/** This process as a node of a gateway. */
export class JoinedNode {
  readonly #db: Kysely<Tables>;
  readonly #membership: Membership;
  #nodes: readonly StoredNode[] = [];
  #now = 0;
  #shards = new Map<number, ShardOwner>();

  private constructor(db: Kysely<Tables>, membership: Membership) {
    this.#db = db;
    this.#membership = membership;
  }

  /**
   * Takes a free slot.
   *
   * @throws {GatewayError} `config-invalid` if the other nodes do not fit
   */
  static async join(url: string, identity: NodeIdentity): Promise<JoinedNode> {
    const db = connect(url);
    try {
      const joined = new JoinedNode(db, await Membership.join({ db, identity }));
      await joined.refresh();
      return joined;
    } catch (error) {
      await db.destroy();
      throw error;
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
    return [...this.#shards].filter(([, owner]) => isOwner(owner, this.grant)).map(([shard]) => shard);
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

  /** Whether this node may act for the user now. */
  holds(user: string): boolean {
    return this.#membership.isValid && isOwner(this.#shards.get(shardOf(user)), this.grant);
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

  /** Nodes that accept users, this one included. */
  get accepting(): StoredNode[] {
    return this.#nodes.filter(({ state, expiresAt }) => state === "live" && expiresAt > this.#now);
  }

  /** Renews the lease, and resolves to whether this node still has it. */
  renew(): Promise<boolean> {
    return this.#membership.renew();
  }

  /** Reads who has which users. */
  async refresh(): Promise<void> {
    const [{ nodes, now }, shards] = await Promise.all([readNodes(this.#db), readShards(this.#db)]);
    this.#nodes = nodes;
    this.#now = now;
    this.#shards = shards;
  }

  /** Claims the user's shard, unless a live node has it. */
  async claim(user: string): Promise<Claimed> {
    const shard = shardOf(user);
    const claimed = await claimShard(this.#db, shard, this.grant);
    if (typeof claimed === "object") this.#shards.set(shard, claimed);
    return claimed;
  }

  /** Ends the lease of a node whose time is over. */
  end(owner: ShardOwner): Promise<boolean> {
    return this.#db.transaction().execute((db) => endLease(db, owner));
  }

  /** Gives users back, so that other nodes can claim them. */
  async release(shards: readonly number[]): Promise<void> {
    await releaseShards(this.#db, shards, this.grant);
    for (const shard of shards) this.#shards.delete(shard);
  }

  drain(): Promise<void> {
    return this.#membership.drain();
  }

  /** Gives everything back. */
  async leave(): Promise<void> {
    // A database that does not answer ends the lease by itself.
    await this.release(this.owned).catch(() => {});
    await this.#membership.leave().catch(() => {});
  }

  close(): Promise<void> {
    return this.#db.destroy();
  }
}

function connect(url: string): Kysely<Tables> {
  const pool = new pg.Pool({
    connectionString: url,
    // Renewals, reads, and claims of a few users at once.
    max: 4,
    connectionTimeoutMillis: STATEMENT,
    statement_timeout: STATEMENT,
    query_timeout: STATEMENT,
    // A frozen node must not keep others waiting for its locks.
    idle_in_transaction_session_timeout: STATEMENT,
    keepAlive: true,
    application_name: "vitrine-node",
    types: {
      getTypeParser: (oid: number, format?: "text" | "binary") =>
        oid === INT8 ? Number : pg.types.getTypeParser(oid, format),
    },
  });
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}
