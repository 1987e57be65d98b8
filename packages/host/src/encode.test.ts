import { JsonText } from "@vitrine/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cut, encode, PART } from "./encode.js";

const text = (message: unknown): string => {
  const form = encode(message);
  if (typeof form === "string") return form;
  return Symbol.iterator in form ? [...form].join("") : JSON.stringify(form);
};
const result = (structuredContent: unknown) => ({ jsonrpc: "2.0", id: 1, result: { structuredContent } });

describe("a message as text", () => {
  it("a small one is written at once", () => {
    const message = { jsonrpc: "2.0", method: "x", params: { a: [1, "two", null] } };
    expect(encode(message)).toBe(JSON.stringify(message));
  });

  it.each([
    [
      "many records",
      Array.from({ length: 30_000 }, (_, id) => ({ id, name: `n${id}`, tags: ["a", id % 2 === 0] })),
    ],
    ["a large object", Object.fromEntries(Array.from({ length: 30_000 }, (_, id) => [`k${id}`, { id }]))],
    [
      "small items, then large ones",
      [...Array(500).fill(1), ...Array(3).fill(Array(20_000).fill({ a: "b" }))],
    ],
    ["large texts in many values", Array.from({ length: 600 }, (_, id) => `${id}`.repeat(3000))],
    ["halves of characters at the seams", [...Array(600).fill(0), "😀".repeat(800_000)]],
    ["undefined values", [undefined, { a: undefined, b: Array(30_000).fill(0) }]],
    ["nothing", [[], {}, Array(30_000).fill({})]],
  ])("a large one is the same as at once: %s", (_name, value) => {
    expect(text(result(value)) === JSON.stringify(result(value))).toBe(true);
  });

  it("any JSON, however large it is made", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(1, 3000), (value, times) => {
        const message = result(Array(times).fill([value, { value }]));
        expect(text(message) === JSON.stringify(message)).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  it("text that is JSON already is inserted unchanged", () => {
    const raw = new JsonText('{"content":[]}');
    expect(encode({ jsonrpc: "2.0", id: 7, result: raw })).toBe(
      '{"jsonrpc":"2.0","id":7,"result":{"content":[]}}',
    );
    expect(encode({ jsonrpc: "2.0", method: "m", params: raw })).toBe(
      '{"jsonrpc":"2.0","method":"m","params":{"content":[]}}',
    );
  });

  it("much text in few values is left unchanged", () => {
    const message = result({ text: "a".repeat(2_000_000) });
    expect(encode(message)).toBe(message);
  });

  it("so much of it that the copy would stop the page is written in parts", () => {
    const message = result({ text: "a".repeat(30_000_000) });
    const parts = [...(encode(message) as Iterable<string>)];
    expect(parts.join("") === JSON.stringify(message)).toBe(true);
    expect(Math.max(...parts.map(({ length }) => length))).toBe(PART);
  });

  it("a text is cut into parts, and never within a character", () => {
    const long = `${"a".repeat(PART - 1)}😀${"b".repeat(PART)}`;
    const parts = [...cut(long)];
    expect(parts.map(({ length }) => length)).toEqual([PART - 1, PART, 2]);
    expect(parts.join("") === long).toBe(true);
    expect([...cut("")]).toEqual([]);
  });

  it("a value that is nested too deep throws, and does not hang", () => {
    let deep: unknown = 0;
    for (let level = 0; level < 1e5; level++) deep = [deep];
    expect(() => encode(result(deep))).toThrow(RangeError);
  });
});
