/** The simulation of a node's death, on which docs/gateway/scale.md rests. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
// @ts-expect-error The benchmarks are plain JavaScript.
import { assignShards, randomOf, readBackOff, simulateStorm } from "../bench/gateway/storm.mjs";

const SOURCE = readFileSync(new URL("../packages/host/src/gateway/connection.ts", import.meta.url), "utf8");

describe("the simulation", () => {
  it("uses the back-off of the client's source, and fails if that has another form", () => {
    expect(readBackOff()).toEqual({ shortest: 100, longest: 3000, socketFailures: 2 });
    expect(() => readBackOff(SOURCE.replace("SHORTEST_WAIT * 2 **", "SHORTEST_WAIT * 3 **"))).toThrow(
      "no longer has",
    );
    expect(() => readBackOff(SOURCE.replace("const LONGEST_WAIT", "const LONGEST"))).toThrow("LONGEST_WAIT");
  });

  it("has the same result each time", () => {
    const once = simulateStorm({ nodes: 5, sessions: 2000, seed: 7 });
    expect(simulateStorm({ nodes: 5, sessions: 2000, seed: 7 })).toEqual(once);
    expect(simulateStorm({ nodes: 5, sessions: 2000, seed: 8 })).not.toEqual(once);
  });

  it("moves nobody before the lease has ended, and everybody after it", () => {
    for (const early of ["refused", "held"]) {
      const storm = simulateStorm({ nodes: 10, sessions: 5000, early });
      expect(storm.leaseEnd).toBeGreaterThan(2000);
      expect(storm.p50).toBeGreaterThan(storm.leaseEnd);
      expect(storm.moved).toBeGreaterThan(0);
      expect(storm.moved).toBeLessThanOrEqual(storm.affected);
    }
  });

  it("takes longer with more sessions for each node, and less time if early pages are held", () => {
    const time = (sessions: number, early: string): number =>
      simulateStorm({ nodes: 4, sessions, early }).p99;
    expect(time(4000, "held")).toBeLessThan(time(4000, "refused"));
    expect(time(4000, "held")).toBeLessThan(time(40_000, "held"));
  });

  it("gives each shard an owner, and no node more than its share if that is bounded", () => {
    const counts = (bounded: boolean): number[] => {
      const owners: number[] = assignShards({ nodes: 100, shards: 256, bounded }, randomOf(1));
      expect(owners).toHaveLength(256);
      return Array.from({ length: 100 }, (_, node) => owners.filter((owner) => owner === node).length);
    };
    expect(Math.max(...counts(true))).toBe(3);
    expect(Math.max(...counts(false))).toBeGreaterThan(4);
  });
});
