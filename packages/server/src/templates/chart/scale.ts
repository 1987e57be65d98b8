/**
 * Scales numbers to positions: an axis with round steps.
 *
 * @module
 */

/** Short names, to keep the page small. */
export const { abs, ceil, floor, log10, max, min, round } = Math;

/**
 * An axis: its ticks, the position of a value from 0 to 1, and the number of digits that distinguish the
 * ticks.
 */
export type Scale = readonly [ticks: readonly number[], at: (value: number) => number, digits: number];

/**
 * An axis from `low` to `high` with about `count` steps of 1, 2 or 5 times a power of ten. Calculated in
 * steps, so that the largest numbers do not overflow.
 */
export function scaleOf(low: number, high: number, count: number): Scale {
  let rough = high / count - low / count;
  // A single value is shown against zero.
  if (!rough) {
    low = min(low, 0);
    high = max(high, 0) || (low ? 0 : 1);
    rough = (high - low) / count;
  }
  const power = 10 ** floor(log10(rough));
  const step = power * ([1, 2, 5].find((each) => each * power >= rough) ?? 10);
  const first = floor(low / step);
  const last = ceil(high / step);
  return [
    Array.from({ length: last - first + 1 }, (_, at) => (first + at) * step),
    (value) => (value / step - first) / (last - first),
    ceil(log10(max(-first, last))) + 1,
  ];
}
