import { expect, it } from "vitest";
import { KnownShards } from "./known-shards.js";

const ours = { slot: 1, fence: 1 };
const theirs = { slot: 2, fence: 7 };

it("a read that began before a claim does not undo it; a later one counts", () => {
  const known = new KnownShards();
  const read = known.begin();
  known.change(5, ours);
  expect(known.get(5)).toEqual(ours);
  expect(known.take(read, new Map([[6, theirs]]))).toBe(true);
  expect([known.get(5), known.get(6)]).toEqual([ours, theirs]);
  known.take(known.begin(), new Map([[5, theirs]]));
  expect([known.get(5), known.get(6)]).toEqual([theirs, undefined]);
});

it("a read that began before a release does not bring the shard back", () => {
  const known = new KnownShards();
  known.take(known.begin(), new Map([[5, ours]]));
  const read = known.begin();
  known.change(5, undefined);
  known.take(read, new Map([[5, ours]]));
  expect(known.get(5)).toBeUndefined();
});

it("a slow read does not replace a later one", () => {
  const known = new KnownShards();
  const [slow, fast] = [known.begin(), known.begin()];
  known.take(fast, new Map([[5, theirs]]));
  expect(known.take(slow, new Map([[5, ours]]))).toBe(false);
  expect(known.get(5)).toEqual(theirs);
});
