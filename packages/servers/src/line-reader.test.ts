import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LineReader } from "./line-reader.js";

function reading(limit = 1_000, endless = 1_000_000) {
  const lines: string[] = [];
  const tooLong: (readonly [head: string, tail?: string])[] = [];
  let endlessLines = 0;
  const reader = new LineReader({
    limit,
    endless,
    online: (line) => lines.push(line),
    ontoolong: (...ends) => tooLong.push(ends),
    onendless: () => endlessLines++,
  });
  return { reader, lines, tooLong, endlessLines: () => endlessLines };
}

describe("LineReader", () => {
  it("emits the same lines however the bytes are split", () => {
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

  it("stops after a number of lines, and continues with the rest", () => {
    const { reader, lines } = reading();
    reader.push(Buffer.from("o"));
    const rest = reader.push(Buffer.from("ne\ntwo\nthree\nfo"), 2);
    expect([lines, rest?.toString()]).toEqual([["one", "two"], "three\nfo"]);
    expect(rest && reader.push(rest, 2)).toBeUndefined();
    reader.push(Buffer.from("ur\n"), 2);
    expect(lines).toEqual(["one", "two", "three", "four"]);
    expect(reader.push(Buffer.from("five\nsix\n"), 2)).toBeUndefined();
  });

  it("keeps an incomplete line", () => {
    const { reader, lines } = reading();
    reader.push(Buffer.from("one\ntw"));
    expect(lines).toEqual(["one"]);
    reader.push(Buffer.from("o\n"));
    expect(lines).toEqual(["one", "two"]);
  });

  it("skips a line above the limit, reports its start and end, buffers nothing, and continues", () => {
    const { reader, lines, tooLong } = reading(10);
    reader.push(Buffer.from(`${"a".repeat(10)}\n`));
    reader.push(Buffer.from("b".repeat(6)));
    reader.push(Buffer.from("c".repeat(6)));
    expect(tooLong).toEqual([["bbbbbbcccccc"]]);
    expect(reader.held).toBe(0);
    reader.push(Buffer.from("d\nlater\n"));
    expect(tooLong).toEqual([["bbbbbbcccccc"], ["bbbbbbcccccc", "bbbbbbccccccd"]]);
    expect(lines).toEqual(["a".repeat(10), "later"]);
  });

  it("skips a long line in a single chunk", () => {
    const { reader, lines, tooLong } = reading(10);
    reader.push(Buffer.from(`${"a".repeat(11)}\nlater\n`));
    expect(lines).toEqual(["later"]);
    expect(tooLong).toEqual([["a".repeat(11)], ["a".repeat(11), "a".repeat(11)]]);
  });

  it("keeps only both ends of a long line, however it is split", () => {
    for (const size of [1, 7, 499, 5_000]) {
      const { reader, tooLong } = reading(1_000);
      const bytes = Buffer.from(`${"a".repeat(700)}${"b".repeat(2_000)}${"c".repeat(300)}\n`);
      for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
      expect(tooLong.at(-1)).toEqual(["a".repeat(500), "b".repeat(200) + "c".repeat(300)]);
    }
  });

  it("stops reading after an endless line, and reports it once", () => {
    const { reader, lines, endlessLines } = reading(10, 100);
    for (let n = 0; n < 50; n++) reader.push(Buffer.from("a".repeat(10)));
    reader.push(Buffer.from("\nlater\n"));
    expect(endlessLines()).toBe(1);
    expect(lines).toEqual([]);
  });

  it("copies a long line a few times, not once per chunk", () => {
    const { reader, lines } = reading(8_000_000);
    const piece = Buffer.from("x");
    for (let n = 0; n < 2_000_000; n++) reader.push(piece);
    expect(reader.held).toBeLessThanOrEqual(4_000_000);
    reader.push(Buffer.from("\n"));
    expect(lines[0]?.length).toBe(2_000_000);
    expect(reader.held).toBe(0);
  });
});
