/**
 * Which users this node has: renews its lease, claims users, notices lost nodes, and gives users back.
 *
 * @module
 */
import { Listeners } from "@vitrine/protocol";
import { messageOf } from "@vitrine/servers/support";
import { GatewayError } from "@vitrine/wire";
import type { JoinedNode } from "./joined-node.js";
import { LEASE, RENEWAL } from "./membership.js";
import type { Location, NodeRef, OwnedUsers } from "./owned-users.js";
import { type ShardOwner, shardOf } from "./shards.js";

/** Options of {@link UserOwnership}. */
export interface OwnershipOptions {
  readonly member: JoinedNode;
  /** Gives the calls of a lost node their outcomes. */
  readonly settle: (slot: number) => Promise<boolean>;
  /** Writes the heads of all chains. */
  readonly anchor: () => Promise<void>;
  /** Called when this node got users whose data another node may have changed. */
  readonly ontaken: () => Promise<void>;
}

/** Milliseconds between anchors. */
const ANCHOR = 60_000;
/** Attempts to find the owner of a user, while nodes come and go. */
const ATTEMPTS = 5;
/** Milliseconds between looks at a node that was not reached, until its lease ends. */
const LOOK = 200;

export class UserOwnership implements OwnedUsers {
  readonly #options: OwnershipOptions;
  readonly #moved = new Listeners<[shards: ReadonlySet<number>]>();
  readonly #lost = new Listeners<[]>();
  readonly #failed = new Listeners<[error: unknown]>();
  readonly #taken = new Listeners<[shard: number]>();
  readonly #claims = new Map<number, Promise<ShardOwner>>();
  /** Nodes that were not reached, or refused. */
  readonly #doubtful = new Set<string>();
  #looking: Promise<void> | undefined;
  /** Shards whose users this node serves. */
  readonly #owned = new Set<number>();
  #timer: NodeJS.Timeout | undefined;
  #anchoredAt = performance.now();
  #isStopped = false;
  #isLost = false;
  #chores: Promise<void> | undefined;

  constructor(options: OwnershipOptions) {
    this.#options = options;
    options.member.onFailed((error) => this.#failed.notify(error));
    options.member.onLost(() => {
      this.#isLost = true;
      this.stop();
      this.#lost.notify();
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

  /** Number of shards that this node has. */
  get shards(): number {
    return this.#owned.size;
  }

  get isDraining(): boolean {
    return this.#options.member.isDraining;
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
    await this.#awaitDoubtful(user);
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const known = member.ownerOf(user);
      const node = known && member.nodeOf(known);
      if (node && node.node !== this.self.id)
        return { kind: "there", node: { id: node.node, address: node.address } };
      if (member.isDraining) return this.#elsewhere(user);
      const owner = await this.#claim(user);
      if (this.holds(user)) return { kind: "here" };
      // Another node is its owner: who that is, a fresh look tells.
      if (!member.nodeOf(owner)) await member.refresh();
    }
    throw new GatewayError("stopping", "no node can serve this user now: try again");
  }

  /** The other node refused or was not reached: the next {@link locate} looks again. */
  forget(_user: string, { id }: NodeRef): void {
    this.#doubtful.add(id);
  }

  /** Adds a listener for shards that this node does not have any more: their sessions must end. */
  onMoved(listener: (shards: ReadonlySet<number>) => void): () => void {
    return this.#moved.add(listener);
  }

  /** Adds a listener for shards that this node took, called before their users are served. */
  onTaken(listener: (shard: number) => void): () => void {
    return this.#taken.add(listener);
  }

  /** Adds a listener for the loss of the lease: this process must not act, and joins again. */
  onLost(listener: () => void): () => void {
    if (this.#isLost) queueMicrotask(listener);
    return this.#lost.add(listener);
  }

  /** Adds a listener for errors of the database. */
  onFailed(listener: (error: unknown) => void): () => void {
    return this.#failed.add(listener);
  }

  /** Tells other nodes that this one takes no more users, and returns its shards. */
  async drain(): Promise<readonly number[]> {
    await this.#options.member.drain();
    return [...this.#owned];
  }

  /** Gives users to the other nodes. Nothing of theirs may be running here. */
  async release(shards: readonly number[]): Promise<void> {
    for (const shard of shards) this.#owned.delete(shard);
    await this.#options.member.release(shards);
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
      for (const owner of member.expired) await member.end(owner);
      await member.refresh();
      this.#noteMoved();
    } catch (error) {
      this.#failed.notify(unanswered("the state of the other nodes cannot be read", error));
    }
    // Not awaited: a node whose calls are being settled does not hide the others.
    this.#chores ??= this.#doChores().finally(() => {
      this.#chores = undefined;
    });
  }

  async #doChores(): Promise<void> {
    const { member, settle, anchor } = this.#options;
    try {
      for (const slot of member.lostSlots) await settle(slot);
      if (performance.now() - this.#anchoredAt < ANCHOR) return;
      this.#anchoredAt = performance.now();
      await anchor();
    } catch (error) {
      this.#failed.notify(unanswered("the chain of a node cannot be continued", error));
    }
  }

  /** Notifies listeners of shards that another node claimed. */
  #noteMoved(): void {
    const owned = new Set(this.#options.member.owned);
    const moved = new Set([...this.#owned].filter((shard) => !owned.has(shard)));
    for (const shard of moved) this.#owned.delete(shard);
    if (moved.size > 0) this.#moved.notify(moved);
  }

  /** Another node, which takes the user. The same one for all requests of a user, as long as no node comes or goes. */
  async #elsewhere(user: string): Promise<Location> {
    if (!this.nodes.some(({ id }) => id !== this.self.id)) await this.#look();
    const others = this.nodes.filter(({ id }) => id !== this.self.id);
    const node = others[shardOf(user) % others.length];
    if (!node) throw new GatewayError("stopping", "this node is stopping, and there is no other: try again");
    return { kind: "there", node };
  }

  /** Looks again at the owner of a user who was not reached, until it has changed or its lease was renewed. */
  async #awaitDoubtful(user: string): Promise<void> {
    const { member } = this.#options;
    let lease: number | undefined;
    for (const endAt = performance.now() + LEASE + RENEWAL; performance.now() < endAt; ) {
      const known = member.ownerOf(user);
      const node = known && member.nodeOf(known);
      if (!node || !this.#doubtful.has(node.node)) return;
      await this.#look();
      const after = member.nodeOf(node);
      // It has renewed its lease since it was doubted, or it has another user's place now: it is worth another attempt.
      if (lease !== undefined && after && after.expiresAt > lease) {
        this.#doubtful.delete(node.node);
        return;
      }
      lease ??= after?.expiresAt;
      await new Promise((resolve) => setTimeout(resolve, LOOK));
    }
  }

  /** Reads who has which users; once for all who ask at the same time. */
  #look(): Promise<void> {
    return (this.#looking ??= this.#options.member.refresh().finally(() => {
      this.#looking = undefined;
    }));
  }

  /** Requests of a shard that come at once share a claim. */
  #claim(user: string): Promise<ShardOwner> {
    const shard = shardOf(user);
    const running = this.#claims.get(shard);
    if (running) return running;
    const claim = this.#claimNow(user).finally(() => this.#claims.delete(shard));
    this.#claims.set(shard, claim);
    return claim;
  }

  async #claimNow(user: string): Promise<ShardOwner> {
    const { member, ontaken } = this.#options;
    const claimed = await member.claim(user).catch((error: unknown) => {
      throw unanswered("no node can be found for this user", error);
    });
    if (claimed === "lost") throw new GatewayError("stopping", "this node has lost its lease: try again");
    if (claimed === "changed") return { slot: null, fence: 0 };
    if (member.holds(user) && !this.#owned.has(shardOf(user))) {
      // Only then are the user's requests served.
      await ontaken();
      this.#taken.notify(shardOf(user));
      this.#owned.add(shardOf(user));
    }
    return claimed;
  }
}

const unanswered = (what: string, cause: unknown): GatewayError =>
  new GatewayError("audit-failed", `${what}: ${messageOf(cause)}`, { cause });
