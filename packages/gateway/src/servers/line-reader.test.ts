import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LineReader } from "./line-reader.js";

function reading(limit = 1_000) {
  const lines: string[] = [];
  let tooLarge = 0;
  const reader = new LineReader(
    limit,
    (line) => lines.push(line),
    () => tooLarge++,
  );
  return { reader, lines, tooLarge: () => tooLarge };
}

describe("LineReader", () => {
  it("gives the same lines however the bytes are cut", () => {
    const text = fc.array(fc.string({ unit: "grapheme" }).map((line) => line.replaceAll("\n", "")));
    fc.assert(
      fc.property(text, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (expected, cuts) => {
        const { reader, lines } = reading(10_000);
        const bytes = Buffer.from(expected.map((line) => `${line}\n`).join(""));
        for (let at = 0, n = 0; at < bytes.length; n++) {
          const size = cuts[n % cuts.length] ?? 1;
          reader.push(bytes.subarray(at, at + size));
          at += size;
        }
        expect(lines).toEqual(expected);
      }),
    );
  });

  it("keeps what has no end yet", () => {
    const { reader, lines } = reading();
    reader.push(Buffer.from("one\ntw"));
    expect(lines).toEqual(["one"]);
    reader.push(Buffer.from("o\n"));
    expect(lines).toEqual(["one", "two"]);
  });

  it("stops at a line above the limit, says so once, and holds nothing", () => {
    const { reader, lines, tooLarge } = reading(10);
    reader.push(Buffer.from(`${"a".repeat(10)}\n`));
    reader.push(Buffer.from("b".repeat(6)));
    reader.push(Buffer.from("b".repeat(6)));
    reader.push(Buffer.from("\nlater\n"));
    expect(lines).toEqual(["a".repeat(10)]);
    expect(tooLarge()).toBe(1);
    expect(reader.held).toBe(0);
  });

  it("stops at a line above the limit that comes in one piece", () => {
    const { reader, lines, tooLarge } = reading(10);
    reader.push(Buffer.from(`${"a".repeat(11)}\nlater\n`));
    expect(lines).toEqual([]);
    expect(tooLarge()).toBe(1);
  });

  it("copies a long line a few times, not once per piece", () => {
    const { reader, lines } = reading(8_000_000);
    const piece = Buffer.from("x");
    for (let n = 0; n < 2_000_000; n++) reader.push(piece);
    expect(reader.held).toBeLessThanOrEqual(4_000_000);
    reader.push(Buffer.from("\n"));
    expect(lines[0]?.length).toBe(2_000_000);
    expect(reader.held).toBe(0);
  });
});
