import { describe, expect, it } from "vitest";
import { SmallMap } from "./small-map.js";

describe("a small map", () => {
  it("behaves like a map", () => {
    const map = new SmallMap<string, number>();
    expect([map.size, map.get("a"), map.has("a"), map.delete("a")]).toEqual([0, undefined, false, false]);
    expect([[...map], [...map.keys()], [...map.values()]]).toEqual([[], [], []]);
    map.set("a", 1).set("b", 2).set("a", 3);
    expect([map.size, map.get("a"), map.has("b")]).toEqual([2, 3, true]);
    expect([[...map], [...map.keys()], [...map.values()]]).toEqual([
      [
        ["a", 3],
        ["b", 2],
      ],
      ["a", "b"],
      [3, 2],
    ]);
    expect([map.delete("a"), map.delete("a"), map.size]).toEqual([true, false, 1]);
    map.delete("b");
    expect([map.size, [...map]]).toEqual([0, []]);
    map.set("c", 4);
    map.clear();
    expect([map.size, map.get("c")]).toEqual([0, undefined]);
  });

  it("can be emptied while it is iterated over", () => {
    const map = new SmallMap<number, number>();
    for (let n = 0; n < 5; n++) map.set(n, n);
    const seen: number[] = [];
    for (const [key] of map) {
      seen.push(key);
      map.delete(key);
    }
    expect([seen, map.size]).toEqual([[0, 1, 2, 3, 4], 0]);
  });
});
