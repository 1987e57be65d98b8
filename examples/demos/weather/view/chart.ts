/**
 * Draws the temperature of a day as a curve. Runs in the page.
 *
 * @module
 */
import { draw } from "../../page.js";

/** Draws 24 temperatures at the available width; `degrees` formats one. */
export function drawChart(
  place: Element,
  hours: readonly number[],
  degrees: (celsius: number) => string,
): void {
  const width = Math.max(200, place.clientWidth);
  const height = 150;
  const [top, bottom, side] = [30, 24, 14];
  const [low, high] = [Math.min(...hours), Math.max(...hours)];
  const x = (hour: number): number => side + (hour / (hours.length - 1)) * (width - 2 * side);
  const y = (value: number): number =>
    height - bottom - 10 - ((value - low) / Math.max(high - low, 1)) * (height - top - bottom - 10);

  const points = hours.map((value, hour): [number, number] => [x(hour), y(value)]);
  // A smooth curve through all points, with slopes between their neighbours.
  const curve = points
    .map(([px, py], index) => {
      if (index === 0) return `M${px} ${py}`;
      const at = (other: number): [number, number] =>
        points[Math.min(Math.max(other, 0), points.length - 1)] ?? [px, py];
      const [[ax, ay], [bx, by], [nx, ny]] = [at(index - 2), at(index - 1), at(index + 1)];
      return `C${bx + (px - ax) / 6} ${by + (py - ay) / 6} ${px - (nx - bx) / 6} ${py - (ny - by) / 6} ${px} ${py}`;
    })
    .join("");
  const ground = height - bottom;

  const label = (hour: number): SVGElement => {
    const value = hours[hour] ?? 0;
    const anchor = hour < 2 ? "start" : hour > 21 ? "end" : "middle";
    return draw(
      "g",
      {},
      draw("circle", { class: "point", cx: x(hour), cy: y(value), r: 4 }),
      draw("text", { class: "value", x: x(hour), y: y(value) - 10, "text-anchor": anchor }, degrees(value)),
    );
  };
  const step = width < 420 ? 6 : 3;
  const times = hours.flatMap((_, hour) =>
    hour % step || hour === 0
      ? []
      : [
          draw("line", { class: "grid", x1: x(hour), x2: x(hour), y1: top - 12, y2: ground }),
          draw("text", { x: x(hour), y: height - 6, "text-anchor": "middle" }, `${hour}:00`),
        ],
  );
  const fade = draw(
    "linearGradient",
    { id: "fade", x1: 0, y1: 0, x2: 0, y2: 1 },
    draw("stop", { offset: 0, class: "fade-top" }),
    draw("stop", { offset: 1, class: "fade-end" }),
  );
  const svg = draw(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, height, "aria-hidden": "true" },
    draw("defs", {}, fade),
    ...times,
    draw("path", { class: "area", d: `${curve}L${x(23)} ${ground}L${x(0)} ${ground}Z` }),
    draw("line", { class: "grid", x1: side, x2: width - side, y1: ground, y2: ground }),
    draw("path", { class: "curve", d: curve }),
    label(hours.indexOf(low)),
    label(hours.indexOf(high)),
  );
  place.replaceChildren(svg);
}
