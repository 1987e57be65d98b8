/** The decision which node hands users over, by the tables that all nodes read. */
import { describe, expect, it } from "vitest";
import { Balance } from "./balance.js";
import type { StoredNode } from "./schema.js";
import type { ShardOwner } from "./shards.js";

const NOW = 1_000_000;
const AFTER = 30_000;

/** A cluster whose nodes follow their own decisions. */
class Tables {
  time = 0;
  readonly nodes = new Map<number, StoredNode>();
  readonly shards: { slot: number | null; fence: number }[] = [];
  readonly #balances = new Map<number, Balance>();
  readonly #after: number;

  constructor(shares: readonly number[], after = AFTER) {
    this.#after = after;
    for (const [slot, count] of shares.entries()) this.join(slot, count);
  }

  join(slot: number, count = 0, fence = 1): void {
    const ids = { slot, fence, node: `n${slot}`, address: `n${slot}.test:1` };
    const node: StoredNode = {
      ...ids,
      version: "1",
      fingerprint: "f",
      state: "live",
      expiresAt: NOW + 1,
    };
    this.nodes.set(slot, node);
    this.#balances.set(slot, new Balance(this.#after, () => this.time));
    for (let n = 0; n < count; n++) this.shards.push({ slot, fence });
  }

  change(slot: number, fields: Partial<StoredNode>): void {
    const node = this.nodes.get(slot);
    if (node) this.nodes.set(slot, { ...node, ...fields });
  }

  get shares(): number[] {
    return [...this.nodes.keys()].map((slot) => this.shards.filter((shard) => shard.slot === slot).length);
  }

  /** A beat of all nodes. Returns the moves, like `0 → 2: 4`. */
  beat(milliseconds = 1000): string[] {
    this.time += milliseconds;
    const before: ShardOwner[] = this.shards.map((shard) => ({ ...shard }));
    // PostgreSQL returns rows in any order.
    const nodes = [...this.nodes.values()].sort(() => (this.time % 2000 === 0 ? -1 : 1));
    return [...this.nodes.values()].flatMap(({ slot, fence }) => {
      const tables = { nodes, now: NOW, shards: before };
      const surplus = this.#balances.get(slot)?.surplusOf({ slot, fence }, tables);
      if (!surplus) return [];
      for (const shard of this.shards.filter((each) => each.slot === slot).slice(0, surplus.count))
        Object.assign(shard, { slot: surplus.to.slot, fence: surplus.to.fence });
      return [`${slot} → ${surplus.to.slot}: ${surplus.count}`];
    });
  }

  beats(count: number): string[] {
    return Array.from({ length: count }, () => this.beat()).flat();
  }
}

describe("the shares of nodes", () => {
  it("become even when a node has joined, a few groups at a time, by one node at a time", () => {
    const tables = new Tables([128, 128, 0]);
    expect(tables.beats(30)).toEqual([]);
    for (let n = 0; n < 40; n++) expect(tables.beat().length).toBeLessThanOrEqual(1);
    expect(tables.shares).toEqual([85, 86, 85]);
  });

  it("stay as they are when they are even, or almost", () => {
    for (const shares of [[85, 86, 85], [100, 90, 80], [1, 0], [3, 2, 2], [0, 0], [256]]) {
      const tables = new Tables(shares);
      expect(tables.beats(100)).toEqual([]);
    }
  });

  it("become even for a few users, too", () => {
    const tables = new Tables([4, 0]);
    tables.beats(40);
    expect(tables.shares).toEqual([2, 2]);
  });

  it("never go back: no group moves twice", () => {
    const tables = new Tables([60, 0, 30, 0]);
    const moves = tables.beats(100);
    expect(tables.shares.every((share) => share === 22 || share === 23)).toBe(true);
    const givers = new Set(moves.map((move) => move[0]));
    expect([...givers].sort()).toEqual(["0", "2"]);
    expect(tables.beats(100)).toEqual([]);
  });

  it.each<[string, Partial<StoredNode>]>([
    ["drains", { state: "draining" }],
    ["is lost", { state: "lost", expiresAt: 0 }],
    ["does not renew its lease", { expiresAt: NOW }],
  ])("do not change while a node %s, nor soon afterwards", (_, fields) => {
    const tables = new Tables([128, 0, 0]);
    tables.beats(35);
    const before = tables.shares;
    expect(before[1]).toBeGreaterThan(0);
    tables.change(2, fields);
    expect(tables.beats(100)).toEqual([]);
    tables.change(2, { state: "live", expiresAt: NOW + 1 });
    expect(tables.beats(30)).toEqual([]);
    expect(tables.beats(10)).not.toEqual([]);
  });

  it("do not change soon after a node has joined, or has taken the slot of another", () => {
    const tables = new Tables([128, 0]);
    tables.beats(32);
    tables.join(2);
    expect(tables.beats(30)).toEqual([]);
    expect(tables.beats(1)).not.toEqual([]);
    tables.join(2, 0, 2);
    expect(tables.beats(30)).toEqual([]);
  });

  it("ignore slots that are free, and shards of nodes that are gone", () => {
    const tables = new Tables([4, 0, 0]);
    tables.change(2, { state: "free", expiresAt: 0 });
    tables.shards.push({ slot: 2, fence: 1 }, { slot: null, fence: 0 }, { slot: 1, fence: 0 });
    expect(tables.beats(60)).toEqual(["0 → 1: 2"]);
  });

  it("stay as they are if the settings say so", () => {
    const tables = new Tables([128, 0], 0);
    expect(tables.beats(100)).toEqual([]);
  });
});
