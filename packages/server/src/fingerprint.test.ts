import { describe, expect, it } from "vitest";
import { fingerprintOf } from "./fingerprint.js";

describe("a fingerprint", () => {
  it("depends only on the text, and has twelve hexadecimal digits", () => {
    for (const text of ["", "a", "ä€😀", "x".repeat(100_000)]) {
      expect(fingerprintOf(text)).toMatch(/^[0-9a-f]{12}$/);
      expect(fingerprintOf(text)).toBe(fingerprintOf([...text].join("")));
      expect(fingerprintOf("<p>", text)).toBe(fingerprintOf(`<p>${text}`));
    }
  });

  it("differs for another text, however small the difference and wherever it is", () => {
    const seen = new Map<string, string>();
    const tell = (text: string): void => {
      const mark = fingerprintOf(text);
      expect(seen.get(mark) ?? text, mark).toBe(text);
      seen.set(mark, text);
    };
    // Only zeros, of every length.
    for (let zeros = 0; zeros < 40; zeros++) tell("\0".repeat(zeros));
    const text = "<p>some text of a view, 64 characters long in all</p> <!-- 0 -->";
    for (let at = 0; at < text.length; at++)
      for (let code = 32; code < 127; code++)
        tell(`${text.slice(0, at)}${String.fromCharCode(code)}${text.slice(at + 1)}`);
    // Two numbers that change together, closer to each other than a checksum's length, and farther.
    for (const gap of [4, 8, 12, 16])
      for (let one = 0; one < 100; one++)
        for (let two = 0; two < 100; two++)
          tell(`${gap}${one}`.padEnd(4 + gap, " ") + `${two}`.padEnd(8, "."));
    expect(seen.size).toBeGreaterThan(40_000);
  });

  it("changes in all of its first eight digits, and encodes the length in the rest", () => {
    const marks = Array.from({ length: 500 }, (_, at) => fingerprintOf(`text ${at}`));
    for (let digit = 0; digit < 8; digit++)
      expect(new Set(marks.map((mark) => mark[digit])).size, `digit ${digit}`).toBe(16);
    const [short, long] = [100, 65_000].map((length) => fingerprintOf("x".repeat(length)).slice(8));
    expect(short).not.toBe(long);
  });
});
