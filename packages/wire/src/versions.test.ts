import { expect, it } from "vitest";
import type { ConversationItem } from "./conversation.js";
import { alternatives, shownItems } from "./versions.js";

const entry = (id: string, inVersion?: string): ConversationItem => ({
  kind: "note",
  id,
  at: 0,
  level: "info",
  code: "test",
  text: id,
  ...(inVersion !== undefined && { inVersion }),
});
const version = (id: string, after?: string, parent?: string, isShown?: boolean): ConversationItem => ({
  kind: "version",
  id,
  at: 0,
  after,
  parent,
  isShown,
});
const ids = (items: ConversationItem[]): string =>
  shownItems(items)
    .map(({ id }) => id)
    .join("");

it("without versions, everything is shown", () => {
  expect(ids([entry("a"), entry("b")])).toBe("ab");
  expect(alternatives([entry("a")]).size).toBe(0);
});

it("a version of a version shows its part of each", () => {
  const items = (shown: string | undefined): ConversationItem[] => [
    entry("a"),
    entry("b"),
    version("1", "a", undefined, shown === "1"),
    entry("c", "1"),
    entry("d", "1"),
    version("2", "c", "1", shown === "2"),
    entry("e", "2"),
    version("3", undefined, undefined, shown === "3"),
    entry("f", "3"),
  ];
  expect(ids(items(undefined))).toBe("ab");
  expect(ids(items("1"))).toBe("acd");
  expect(ids(items("2"))).toBe("ace");
  expect(ids(items("3"))).toBe("f");
  expect([...alternatives(items("2"))]).toEqual([
    ["c", { versions: [undefined, "1"], shown: 1 }],
    ["e", { versions: ["1", "2"], shown: 1 }],
    ["a", { versions: [undefined, "3"], shown: 0 }],
  ]);
});

it("bad data shows something, and ends", () => {
  expect(ids([entry("a"), version("1", "gone", undefined, true), entry("b", "1")])).toBe("b");
  expect(ids([entry("a"), version("1", "a", "2", true), version("2", "a", "1"), entry("b", "1")])).toBe("ab");
  expect(ids([entry("a"), version("1", "a", "gone", true), entry("b", "1")])).toBe("ab");
  expect(ids([entry("a"), version("1", "a"), entry("b", "gone")])).toBe("a");
});
