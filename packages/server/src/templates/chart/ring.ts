/**
 * Draws a ring of shares.
 *
 * @module
 */
import type { Mark } from "./axes.js";
import type { Series } from "./chart-data.js";
import { max, min } from "./scale.js";
import { path } from "./shape.js";

/** The share of each value, from 0 to 1. Missing and negative values have none. */
export function sharesOf({ values }: Series): number[] {
  const there = values.map((value = 0) => max(value, 0));
  const whole = there.reduce((sum, value) => sum + value, 0);
  return there.map((value) => value / whole || 0);
}

/** Adds shares to a list of shapes, clockwise from the top. Returns their positions. */
export function drawRing(one: Series, width: number, height: number, shapes: Element[]): Mark[] {
  const radius = min(width, height) / 2 - 34;
  const place = (turn: number): [number, number] => {
    const angle = turn * 2 * Math.PI;
    return [width / 2 + Math.sin(angle) * radius, height / 2 - Math.cos(angle) * radius];
  };
  let from = 0;
  return sharesOf(one).map((share, i) => {
    const begin = from;
    from += share;
    // Leaves a small gap. A full circle would end at its start and draw nothing.
    const end = place(max(begin, from - 0.003));
    const node = path(
      "line slice",
      `M${place(begin)}A${radius} ${radius} 0 ${share > 0.5 ? 1 : 0} 1 ${end}`,
      i,
    );
    shapes.push(node);
    return [place((begin + from) / 2), one, i, node];
  });
}
