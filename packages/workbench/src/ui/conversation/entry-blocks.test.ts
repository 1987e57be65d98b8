import { describe, expect, it } from "vitest";
import { EntryBlocks } from "./entry-blocks.js";

const numbered = (count: number): string[] => Array.from({ length: count }, (_, n) => `${n}`);

/** The block of each entry. */
function blocksOf(blocks: EntryBlocks<string>, entries: readonly string[]): Record<string, number> {
  const divided = blocks.divide(entries);
  expect(divided.flatMap((block) => block.entries)).toEqual(entries);
  const ids = divided.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  return Object.fromEntries(divided.flatMap(({ id, entries: own }) => own.map((entry) => [entry, id])));
}

describe("blocks of entries", () => {
  it("have ten entries at most, in order", () => {
    const divided = new EntryBlocks<string>((each) => each).divide(numbered(25));
    expect(divided.map(({ entries }) => entries.length)).toEqual([10, 10, 5]);
  });

  it("keep their entries when others come and go", () => {
    const blocks = new EntryBlocks<string>((each) => each);
    const before = blocksOf(blocks, numbered(25));
    const removed = numbered(25).filter((each) => !["0", "3", "12"].includes(each));
    const { 0: _0, 3: _3, 12: _12, ...others } = before;
    expect(blocksOf(blocks, removed)).toEqual(others);
    const inserted = [...removed.slice(0, 9), "new", ...removed.slice(9), "last"];
    expect(blocksOf(blocks, inserted)).toMatchObject(others);
  });

  it("are the same objects while their entries are the same", () => {
    const blocks = new EntryBlocks<string>((each) => each);
    const before = blocks.divide(numbered(25));
    const after = blocks.divide([...numbered(25), "new"]);
    expect(after.map((block, at) => block === before[at])).toEqual([true, true, false]);
    expect(blocks.divide(numbered(24)).map(({ entries }) => entries.length)).toEqual([10, 10, 4]);
  });

  it("appear once, whatever moves", () => {
    const blocks = new EntryBlocks<string>((each) => each);
    blocksOf(blocks, numbered(30));
    blocksOf(blocks, [...numbered(30).slice(5), ...numbered(5)]);
    blocksOf(blocks, numbered(30).reverse());
  });
});
