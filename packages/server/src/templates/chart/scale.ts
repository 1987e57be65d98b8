/**
 * From numbers to places: an axis with round steps.
 *
 * @module
 */

/** Under short names: a page has few bytes. */
export const { abs, ceil, floor, log10, max, min, round } = Math;

/** An axis: its marks, where a value is from 0 at its beginning to 1 at its end, and how many digits tell its marks apart. */
export type Scale = readonly [ticks: readonly number[], at: (value: number) => number, digits: number];

/**
 * An axis for values from `low` to `high` with about so many steps of 1, 2 or 5 times a power of ten. All is reckoned in steps,
 * so that the largest numbers there are do not go over an edge.
 */
export function scaleOf(low: number, high: number, count: number): Scale {
  let rough = high / count - low / count;
  // One value alone is shown against zero.
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
