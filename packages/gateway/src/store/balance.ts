/**
 * When users move from one node to another, so that all nodes have about as many shards.
 *
 * @module
 */
import type { Grant } from "./engine.js";
import { isAlive } from "./membership.js";
import type { StoredNode } from "./schema.js";
import type { ShardOwner } from "./shards.js";

/** Milliseconds without a change among the nodes before users move, by default. */
export const BALANCE_AFTER = 30_000;
/** Shards that move at the same time: their users notice a pause. */
const AT_ONCE = 4;
/** Users begin to move when the fullest and the emptiest node differ by more than this part of an even share. */
const TOLERANCE = 0.25;

/** The tables of nodes and shards, as one node read them. */
export interface NodeTables {
  readonly nodes: readonly StoredNode[];
  /** The database's time. */
  readonly now: number;
  readonly shards: Iterable<ShardOwner>;
}

/** Shards that a node should hand over now. */
export interface Surplus {
  readonly to: Pick<StoredNode, "slot" | "fence" | "node" | "address">;
  /** At most this many. */
  readonly count: number;
}

/**
 * The decision of one node. All nodes decide by the same tables, so there is no leader: the fullest node hands over to the
 * emptiest one.
 */
export class Balance {
  readonly #after: number;
  readonly #clock: () => number;
  #nodes = "";
  #since = 0;
  /** Once begun, users move until the shares are even: the tolerance is for the beginning only. */
  #isMoving = false;

  /**
   * @param after milliseconds without a change among the nodes; 0 for never
   * @param clock a monotonic clock in milliseconds
   */
  constructor(after: number, clock: () => number = () => performance.now()) {
    this.#after = after;
    this.#clock = clock;
  }

  /** The shards that this node should hand over; undefined for none. Call it after each look at the tables. */
  surplusOf(self: Grant, { nodes, now, shards }: NodeTables): Surplus | undefined {
    const present = nodes.filter(({ state }) => state !== "free").sort((a, b) => a.slot - b.slot);
    // While a node comes or goes, its users move anyway.
    const isCalm = present.every((node) => node.state === "live" && isAlive(node, now));
    const seen = isCalm ? present.map(({ slot, fence }) => `${slot}.${fence}`).join() : "";
    if (seen !== this.#nodes) {
      this.#nodes = seen;
      this.#since = this.#clock();
      this.#isMoving = false;
    }
    if (seen === "" || this.#after === 0 || this.#clock() - this.#since < this.#after) return undefined;
    const counts = countShards(present, shards);
    const total = counts.reduce((sum, { count }) => sum + count, 0);
    const fullest = counts.reduce((most, each) => (each.count > most.count ? each : most), counts[0] ?? NONE);
    const emptiest = counts.reduce(
      (least, each) => (each.count < least.count ? each : least),
      counts[0] ?? NONE,
    );
    const difference = fullest.count - emptiest.count;
    this.#isMoving = difference > (this.#isMoving ? 1 : Math.max(1, (TOLERANCE * total) / counts.length));
    if (!this.#isMoving || !emptiest.node || !isSame(fullest.node, self)) return undefined;
    return { to: emptiest.node, count: Math.min(AT_ONCE, Math.floor(difference / 2)) };
  }
}

/** The shards of a node. */
interface Share {
  readonly node: StoredNode | undefined;
  readonly count: number;
}

const NONE: Share = { node: undefined, count: 0 };

const isSame = (node: Grant | undefined, { slot, fence }: Grant): boolean =>
  node?.slot === slot && node.fence === fence;

function countShards(nodes: readonly StoredNode[], shards: Iterable<ShardOwner>): Share[] {
  const counts = new Map<string, number>();
  for (const { slot, fence } of shards) {
    const key = `${slot}.${fence}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return nodes.map((node) => ({ node, count: counts.get(`${node.slot}.${node.fence}`) ?? 0 }));
}
