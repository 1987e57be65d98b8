import { describe, expect, it } from "vitest";
import { readSaved, type SavedCall, type SavedMessage, writeSaved } from "./saved-conversation.js";

const call = (id: string, more: Partial<SavedCall> = {}): SavedCall => ({
  ...{ kind: "call", id, at: 1, server: "s", tool: "t", input: {}, state: "done" },
  ...more,
});
const answer = (size: number) => ({ content: [{ type: "text" as const, text: "x".repeat(size) }] });
const message: SavedMessage = { kind: "message", id: "m", at: 1, server: "s", title: "A", content: [] };

describe("what is kept", () => {
  it("is read as it was written", () => {
    const entries = [call("a", { result: answer(3), view: "v", endedAt: 2 }), message];
    expect(readSaved(writeSaved(entries))).toEqual(entries);
    expect(readSaved(writeSaved([]))).toEqual([]);
  });

  it("is without the largest result when there is no room, and with all entries and the other results", () => {
    const entries = [call("a", { result: answer(10) }), call("b", { result: answer(5000) }), message];
    const text = writeSaved(entries, 1000);
    expect(text.length).toBeLessThanOrEqual(1000);
    expect(readSaved(text)).toEqual([entries[0], call("b", { isResultLost: true }), message]);
  });

  it("is first without the results of apps, which the gateway has", () => {
    const entries = [call("a", { result: answer(600) }), call("b", { result: answer(500), view: "v" })];
    const [first, second] = readSaved(writeSaved(entries, 1000));
    expect(first).toEqual(entries[0]);
    expect(second).toMatchObject({ id: "b", view: "v", isResultLost: true });
  });

  it("is never nothing because of one entry that is too large by itself", () => {
    const entries = [call("a"), call("b", { input: { text: "x".repeat(5000) } }), call("c")];
    expect(readSaved(writeSaved(entries, 1000)).map(({ id }) => id)).toEqual(["a", "c"]);
  });

  it("is the newest, when there are too many small ones", () => {
    const entries = Array.from({ length: 50 }, (_, at) => call(`${at}`));
    const kept = readSaved(writeSaved(entries, 1000));
    expect(kept.length).toBeGreaterThan(5);
    expect(kept).toEqual(entries.slice(-kept.length));
  });
});

it("what is no entry is left out, and what is no result is read as one", () => {
  const odd = [
    ...[
      7,
      null,
      [],
      {},
      { ...call("x"), at: "now" },
      { ...call("x"), at: 1e300 },
      { ...call("x"), state: "?" },
    ],
    ...[
      { ...call("x"), input: [] },
      { ...call("x"), tool: {} },
      { ...message, title: {} },
    ],
    { ...call("a"), result: {}, problem: { x: 1 }, endedAt: "x" },
    call("a"),
    { ...message, content: { x: 1 } },
  ];
  expect(readSaved(JSON.stringify(odd))).toEqual([
    call("a", { result: { content: [] } }),
    { ...message, content: [{ type: "text", text: '{\n  "x": 1\n}' }] },
  ]);
  for (const text of [null, undefined, "", "{", "7", "{}"]) expect(readSaved(text)).toEqual([]);
});
