/**
 * Which users this node has: renews its lease, claims users, notices lost nodes, and gives users back.
 *
 * @module
 */
import { GatewayError } from "@vitrine/wire";
import { Balance } from "./balance.js";
import { DoubtfulNodes } from "./doubtful-nodes.js";
import type { JoinedNode } from "./joined-node.js";
import { RENEWAL } from "./membership.js";
import type { Location, NodeRef, OwnedUsers } from "./owned-users.js";
import { OwnershipEvents } from "./ownership-events.js";
import { type ShardOwner, shardOf } from "./shards.js";
import { unanswered } from "./unanswered.js";

/** Options of {@link UserOwnership}. */
export interface OwnershipOptions {
  readonly member: JoinedNode;
  /** Notices slots whose nodes were deleted from the table. */
  readonly restore: () => Promise<void>;
  /** Gives the calls of a lost node their outcomes. */
  readonly settle: (slot: number) => Promise<boolean>;
  /** Writes the heads of all chains. */
  readonly anchor: () => Promise<void>;
  /** Called when this node got users whose data another node may have changed. */
  readonly ontaken: () => Promise<void>;
  /** Milliseconds without a change among the nodes before users move to an emptier one; 0 for never. */
  readonly balanceAfter: number;
  /** Milliseconds between anchors. */
  readonly anchorEvery: number;
}

/** Milliseconds between anchors, and between looks for slots that are missing from the table. */
export const ANCHOR = 60_000;
/** Attempts to find the owner of a user, while nodes come and go. */
const ATTEMPTS = 5;

export class UserOwnership extends OwnershipEvents implements OwnedUsers {
  readonly #options: OwnershipOptions;
  readonly #balance: Balance;
  readonly #claims = new Map<number, Promise<ShardOwner>>();
  readonly #doubtful: DoubtfulNodes;
  /** Shards that are being given to other nodes. */
  readonly #leaving = new Map<number, Promise<unknown>>();
  /** Shards whose users this node serves. */
  readonly #owned = new Set<number>();
  #timer: NodeJS.Timeout | undefined;
  #anchoredAt = performance.now();
  /** The first time soon after the start, because a node also starts after somebody has deleted its row. */
  #restoredAt = Number.NEGATIVE_INFINITY;
  #isStopped = false;
  #isLost = false;
  #chores: Promise<void> | undefined;

  constructor(options: OwnershipOptions) {
    super();
    this.#options = options;
    this.#balance = new Balance(options.balanceAfter);
    this.#doubtful = new DoubtfulNodes(options.member);
    options.member.onFailed((error) => this.failed.notify(error));
    options.member.onLapsed(() => this.lapsed.notify());
    options.member.onLost(() => {
      this.#isLost = true;
      this.stop();
      this.lost.notify();
    });
    this.#schedule();
  }

  get self(): NodeRef {
    const { node, address } = this.#options.member.identity;
    return { id: node, address };
  }

  /** Nodes that accept users, this one included. */
  get nodes(): NodeRef[] {
    return this.#options.member.accepting.map(({ node, address }) => ({ id: node, address }));
  }

  get states(): Record<"live" | "draining" | "lost", number> {
    return this.#options.member.states;
  }

  /** The shards whose users this node serves. */
  get owned(): number[] {
    return [...this.#owned];
  }

  get isLeased(): boolean {
    return this.#options.member.isLeased;
  }

  get leaseFailures(): number {
    return this.#options.member.leaseFailures;
  }

  get leaseAge(): number {
    return this.#options.member.leaseAge;
  }

  /** Whether this node has the user, and may act for the user now. */
  holds(user: string): boolean {
    return this.#owned.has(shardOf(user)) && this.#options.member.holds(user);
  }

  /**
   * Finds the node that has the user. If no live node has, this one takes the user. If the node was not reached before,
   * waits until it answers the database again or its lease ends, so that callers need not try again.
   *
   * @throws {GatewayError} `stopping` if this node cannot take users, or lost its lease
   */
  async locate(user: string): Promise<Location> {
    const { member } = this.#options;
    if (this.holds(user)) return { kind: "here" };
    await this.#doubtful.awaitOwner(user);
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      await this.#leaving.get(shardOf(user))?.catch(() => {});
      const known = member.ownerOf(user);
      const node = known && member.nodeOf(known);
      if (node && node.node !== this.self.id)
        return { kind: "there", node: { id: node.node, address: node.address } };
      if (member.isDraining) return this.#elsewhere(user);
      // The database may not answer, and other nodes are faster.
      if (!member.isLeased)
        throw new GatewayError("stopping", "this node has no lease now, so it serves nobody: try again");
      const owner = await this.#claim(shardOf(user));
      if (this.holds(user)) return { kind: "here" };
      // Another node is its owner: who that is, a fresh look tells.
      if (!member.nodeOf(owner)) await this.#doubtful.look();
    }
    throw new GatewayError("stopping", "no node can serve this user now: try again");
  }

  /** The other node refused or was not reached: the next {@link locate} looks again. */
  forget(_user: string, { id }: NodeRef): void {
    this.#doubtful.add(id);
  }

  override onLost(listener: () => void): () => void {
    if (this.#isLost) queueMicrotask(listener);
    return super.onLost(listener);
  }

  /** Tells other nodes that this one takes no more users, and returns its shards. */
  async drain(): Promise<readonly number[]> {
    const { member } = this.#options;
    await member.drain();
    // From now on, nobody gives users to this node. It may not have noticed the last ones.
    await member.refresh();
    return [...new Set([...this.#owned, ...member.owned])];
  }

  /** Gives users to the other nodes. Nothing of theirs may be running here. */
  async release(shards: readonly number[]): Promise<void> {
    await this.#leave(shards, this.#options.member.release(shards));
  }

  /** Gives users to a node. Resolves with false if that node cannot take them. */
  async give(shards: readonly number[], { id }: NodeRef): Promise<boolean> {
    const { member } = this.#options;
    const to = member.accepting.find(({ node }) => node === id);
    return to !== undefined && (await this.#leave(shards, member.give(shards, to)));
  }

  /** Requests of the users wait meanwhile: they would claim the shards again. */
  async #leave<T>(shards: readonly number[], leaving: Promise<T>): Promise<T> {
    for (const shard of shards) {
      this.#owned.delete(shard);
      this.#leaving.set(shard, leaving);
    }
    return leaving.finally(() => {
      for (const shard of shards) this.#leaving.delete(shard);
    });
  }

  stop(): void {
    this.#options.member.stopRenewing();
    this.endDuties();
  }

  /** Looks after the other nodes no more. This node keeps its lease. */
  endDuties(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => void this.#beat().finally(() => this.#schedule()), RENEWAL);
    this.#timer.unref();
  }

  /** Looks after the other nodes. */
  async #beat(): Promise<void> {
    const { member } = this.#options;
    try {
      await member.endOverdue();
      for (const owner of member.expired) await member.end(owner);
      await member.refresh();
      this.#noteMoved();
      await this.#adopt();
      this.#weigh();
    } catch (error) {
      this.failed.notify(unanswered("the state of the other nodes cannot be read", error));
    }
    // Not awaited: a node whose calls are being settled does not hide the others.
    this.#chores ??= this.#doChores().finally(() => {
      this.#chores = undefined;
    });
  }

  async #doChores(): Promise<void> {
    const { member, restore, settle, anchor, anchorEvery } = this.#options;
    try {
      for (const slot of member.lostSlots) await settle(slot);
      if (performance.now() - this.#restoredAt >= ANCHOR) {
        await restore();
        this.#restoredAt = performance.now();
      }
      if (performance.now() - this.#anchoredAt < anchorEvery) return;
      this.#anchoredAt = performance.now();
      await anchor();
    } catch (error) {
      this.failed.notify(unanswered("the chain of a node cannot be continued", error));
    }
  }

  /** Notifies listeners of shards that another node claimed. */
  #noteMoved(): void {
    const owned = new Set(this.#options.member.owned);
    const moved = new Set([...this.#owned].filter((shard) => !owned.has(shard)));
    for (const shard of moved) this.#owned.delete(shard);
    if (moved.size > 0) this.moved.notify(moved);
  }

  /** Begins to serve the users whom other nodes gave to this one. */
  async #adopt(): Promise<void> {
    const { member } = this.#options;
    if (member.isDraining) return;
    const given = member.owned.filter((shard) => !this.#owned.has(shard) && !this.#leaving.has(shard));
    await Promise.all(given.map((shard) => this.#claim(shard)));
  }

  #weigh(): void {
    const { member } = this.#options;
    const surplus = this.#balance.surplusOf(member.grant, member.tables);
    if (!surplus || member.isDraining) return;
    const { node, address } = surplus.to;
    this.uneven.notify({ to: { id: node, address }, count: surplus.count });
  }

  /** Another node, which takes the user. The same one for all requests of a user, as long as no node comes or goes. */
  async #elsewhere(user: string): Promise<Location> {
    if (!this.nodes.some(({ id }) => id !== this.self.id)) await this.#doubtful.look();
    const others = this.nodes.filter(({ id }) => id !== this.self.id);
    const node = others[shardOf(user) % others.length];
    if (!node) throw new GatewayError("stopping", "this node is stopping, and there is no other: try again");
    return { kind: "there", node };
  }

  /** Requests of a shard that come at once share a claim. */
  #claim(shard: number): Promise<ShardOwner> {
    const running = this.#claims.get(shard);
    if (running) return running;
    const claim = this.#claimNow(shard).finally(() => this.#claims.delete(shard));
    this.#claims.set(shard, claim);
    return claim;
  }

  async #claimNow(shard: number): Promise<ShardOwner> {
    const { member, ontaken } = this.#options;
    const claimed = await member.claim(shard).catch((error: unknown) => {
      throw unanswered("no node can be found for these users", error);
    });
    if (claimed === "lost") throw new GatewayError("stopping", "this node has lost its lease: try again");
    if (claimed === "changed") return { slot: null, fence: 0 };
    if (member.holdsShard(shard) && !this.#owned.has(shard)) {
      // Only then are the users' requests served.
      await ontaken();
      this.taken.notify(shard, claimed.from ?? "nobody");
      this.#owned.add(shard);
    }
    return claimed;
  }
}
