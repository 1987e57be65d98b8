import type { AppContext } from "@vitrine/wire";
import { expect, it } from "vitest";
import { changeSummary, contextChange } from "./context-change.js";

const context = (text: string, more: Partial<AppContext> = {}): AppContext => ({
  item: "1",
  server: "shop",
  title: "Cart",
  at: 1,
  isStale: false,
  content: [{ type: "text", text }],
  ...more,
});
const before = (text: string) => ({ content: [{ type: "text" as const, text }] });

it("is unknown before the model received anything", () => {
  expect(contextChange(context("1 cherry"))).toBeUndefined();
});

it("lists removed and added lines, in order", () => {
  const lines = contextChange(context("a\n2 cherries\nb\nnew", { before: before("a\n1 cherry\nb") })) ?? [];
  expect(lines).toEqual([
    { kind: "removed", text: "1 cherry" },
    { kind: "added", text: "2 cherries" },
    { kind: "added", text: "new" },
  ]);
  expect(changeSummary(lines)).toBe("1 cherry → 2 cherries");
});

it("is found within structured content, by its lines", () => {
  const lines = contextChange(
    context("", {
      structuredContent: { cart: { cherry: 2 }, total: 4 },
      before: { structuredContent: { cart: { cherry: 1 }, total: 4 } },
    }),
  );
  expect(lines).toEqual([
    { kind: "removed", text: '    "cherry": 1' },
    { kind: "added", text: '    "cherry": 2' },
  ]);
});

it("handles contexts that are only new, or only gone", () => {
  expect(changeSummary([{ kind: "added", text: " x " }])).toBe("+ x");
  expect(changeSummary([{ kind: "removed", text: "x" }])).toBe("− x");
});
