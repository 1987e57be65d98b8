/** Axes: round steps that contain all values. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { scaleOf } from "./scale.js";

it.each([
  [0, 97, 5, [0, 20, 40, 60, 80, 100]],
  [-30, 70, 5, [-40, -20, 0, 20, 40, 60, 80]],
  [0, 1, 5, [0, 0.2, 0.4, 0.6, 0.8, 1]],
  [0, 5, 5, [0, 1, 2, 3, 4, 5]],
  [1001, 1003, 4, [1001, 1001.5, 1002, 1002.5, 1003]],
  [0, 2e-9, 4, [0, 0.5e-9, 1e-9, 1.5e-9, 2e-9]],
  // A single value, and only zero.
  [7, 7, 4, [0, 2, 4, 6, 8]],
  [-7, -7, 4, [-8, -6, -4, -2, 0]],
  [0, 0, 5, [0, 0.2, 0.4, 0.6, 0.8, 1]],
])("from %d to %d in about %d steps has round marks", (low, high, count, marks) => {
  const [ticks] = scaleOf(low, high, count);
  expect(ticks).toHaveLength(marks.length);
  ticks.forEach((tick, at) => {
    expect(tick).toBeCloseTo(marks[at] ?? Number.NaN, 12);
  });
});

it("contains all values in order and proportion, has few ticks, and labels no two alike", () => {
  const value = fc.oneof(
    fc.double({ min: -1e299, max: 1e299, noNaN: true }),
    fc.integer({ min: -10_000, max: 10_000 }),
    fc.double({ min: -1e-6, max: 1e-6, noNaN: true }),
  );
  fc.assert(
    fc.property(value, value, fc.integer({ min: 2, max: 10 }), (one, other, count) => {
      const [low, high] = [Math.min(one, other), Math.max(one, other)];
      // Not for numbers that floating point hardly distinguishes.
      fc.pre(low === high || high - low > Math.max(Math.abs(low), Math.abs(high)) * 1e-9);
      fc.pre(Math.max(Math.abs(low), Math.abs(high)) > 1e-290);
      const [ticks, at, digits] = scaleOf(low, high, count);
      expect(at(low)).toBeGreaterThanOrEqual(-1e-9);
      expect(at(high)).toBeLessThanOrEqual(1 + 1e-9);
      expect(at((ticks[0] ?? 0) / 2 + (ticks.at(-1) ?? 0) / 2)).toBeCloseTo(0.5, 6);
      expect(ticks.length).toBeLessThanOrEqual(count + 3);
      const { format } = new Intl.NumberFormat("en", {
        notation: "scientific",
        maximumSignificantDigits: digits,
      });
      expect(new Set(ticks.map((tick) => format(tick))).size).toBe(ticks.length);
    }),
  );
});
