import { expect, it } from "vitest";
import { actsOf, aloneUntil } from "./recorded-run.js";
import type { RecordedEvent } from "./recording.js";

const say = (person?: boolean): RecordedEvent => ({
  t: 1,
  d: "in",
  m: { jsonrpc: "2.0", method: "ui/message" },
  ...(person && { person }),
});
const click: RecordedEvent = { t: 1, did: { click: "Refresh" } };
const wait: RecordedEvent = { t: 1, did: { wait: "Sunday" } };
const loading: RecordedEvent = { t: 1, step: "loading" };

it("finds for each act how many messages came before it, since the app was last opened", () => {
  expect(actsOf([say(), click, loading, say(), wait, say(), say(), click])).toEqual([
    { place: 1, act: { wait: "Sunday" } },
    { place: 3, act: { click: "Refresh" } },
  ]);
});

it("finds how far the app came by itself: to the first press, or the first message during a user's action", () => {
  expect(aloneUntil([loading, say(), wait, say()])).toBe(2);
  expect(aloneUntil([loading, say(), wait, say(), click, say(), say(true)])).toBe(2);
  expect(aloneUntil([loading, say(), say(true), click, say()])).toBe(1);
  // Actions before the last start are not replayed.
  expect(aloneUntil([loading, say(true), click, loading, say()])).toBe(1);
});
