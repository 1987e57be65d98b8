import { describe, expect, it } from "vitest";
import { catalogueDiff } from "./catalogue-diff.js";
import { jsonDiff } from "./json-diff.js";

describe("the differences of two values", () => {
  it("name each field, with both values", () => {
    const before = { a: 1, list: [1, { x: "old" }], gone: null, same: { deep: [true] } };
    const after = { a: 2, list: [1, { x: "new" }, 3], "odd name": 1, same: { deep: [true] } };
    expect(jsonDiff(before, after)).toEqual([
      { path: "a", kind: "changed", before: 1, after: 2 },
      { path: "list[1].x", kind: "changed", before: "old", after: "new" },
      { path: "list[2]", kind: "added", after: 3 },
      { path: "gone", kind: "removed", before: null },
      { path: '"odd name"', kind: "added", after: 1 },
    ]);
  });

  it("are none of equal values, whatever the order of their fields", () => {
    expect(jsonDiff({ a: 1, b: [2] }, { b: [2], a: 1 })).toEqual([]);
  });

  it("treat a list and an object as different, and names of Object.prototype as absent", () => {
    expect(jsonDiff({ a: [1] }, { a: { 0: 1 } })).toEqual([
      { path: "a", kind: "changed", before: [1], after: { 0: 1 } },
    ]);
    expect(jsonDiff({}, { constructor: 1 })).toEqual([{ path: "constructor", kind: "added", after: 1 }]);
  });

  it("end for values that are nested without end", () => {
    const cycle = (): object => {
      const ring: Record<string, unknown> = {};
      ring["self"] = ring;
      return ring;
    };
    expect(jsonDiff(cycle(), cycle())).toHaveLength(1);
  });
});

it("the differences of two catalogues name what was removed, changed and added", () => {
  const tool = (name: string, description = "") => ({
    name,
    description,
    inputSchema: { type: "object" as const },
  });
  const lists = { resources: [], templates: [], prompts: [] };
  const changes = catalogueDiff(
    { ...lists, tools: [tool("gone"), tool("same"), tool("changed", "Before")], prompts: [{ name: "p" }] },
    { ...lists, tools: [tool("changed", "After"), tool("same"), tool("new")], prompts: [{ name: "p" }] },
  );
  expect(changes).toEqual([
    { kind: "tool", name: "gone", change: "removed", fields: [] },
    {
      kind: "tool",
      name: "changed",
      change: "changed",
      fields: [{ path: "description", kind: "changed", before: "Before", after: "After" }],
    },
    { kind: "tool", name: "new", change: "added", fields: [] },
  ]);
});
