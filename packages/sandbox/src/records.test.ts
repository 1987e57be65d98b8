import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MemoryRecords } from "./records.js";

describe("records in memory", () => {
  it("are returned as they were stored", () => {
    const records = new MemoryRecords();
    records.set("a", "text");
    expect(records.get("a")).toBe("text");
    expect(records.get("b")).toBeUndefined();
  });

  it("go when there are too many, those first that were not used for longest", () => {
    const records = new MemoryRecords(30);
    for (const name of ["a", "b", "c"]) records.set(name, name.repeat(10));
    records.get("a");
    records.set("d", "d".repeat(10));
    expect(["a", "b", "c", "d"].filter((name) => records.get(name))).toEqual(["a", "c", "d"]);
  });

  it("stay when the same one is put again", () => {
    const records = new MemoryRecords(20);
    records.set("a", "a".repeat(10));
    for (let i = 0; i < 5; i++) records.set("b", "b".repeat(10));
    expect(records.get("a")).toBeDefined();
  });

  it("may be larger than the limit, alone", () => {
    const records = new MemoryRecords(10);
    records.set("a", "small");
    records.set("b", "b".repeat(100));
    expect(records.get("a")).toBeUndefined();
    expect(records.get("b")).toHaveLength(100);
    records.set("c", "small");
    expect([records.get("b"), records.get("c")]).toEqual([undefined, "small"]);
  });

  it("never hold more than the limit, and always the newest", () => {
    const puts = fc.array(fc.tuple(fc.constantFrom("a", "b", "c", "d", "e"), fc.nat(15)), { minLength: 1 });
    fc.assert(
      fc.property(puts, (all) => {
        const records = new MemoryRecords(30);
        for (const [name, length] of all) {
          records.set(name, "x".repeat(length));
          expect(records.get(name)).toHaveLength(length);
          const held = ["a", "b", "c", "d", "e"].map((each) => records.get(each)?.length ?? 0);
          expect(held.reduce((sum, each) => sum + each)).toBeLessThanOrEqual(30);
        }
      }),
    );
  });
});
