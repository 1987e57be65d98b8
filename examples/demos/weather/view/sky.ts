/**
 * Icons of weather conditions. Runs in the page.
 *
 * @module
 */
import { draw } from "../../page.js";
import type { Sky } from "../forecast.js";

/** The name of a condition. */
export function skyName(sky: Sky): string {
  const names: Record<Sky, string> = {
    clear: "Clear sky",
    fair: "Partly cloudy",
    cloudy: "Cloudy",
    rain: "Rain",
    storm: "Thunderstorm",
    snow: "Snow",
    fog: "Fog",
  };
  return names[sky];
}

/** Draws an icon; it is decorative, because its name is beside it. */
export function drawSky(sky: Sky): SVGElement {
  const sun = (x: number, y: number, radius: number): SVGElement => {
    const rays = Array.from({ length: 8 }, (_, index) => {
      const angle = (index * Math.PI) / 4;
      const at = (distance: number): [number, number] => [
        x + Math.cos(angle) * distance,
        y + Math.sin(angle) * distance,
      ];
      const [[x1, y1], [x2, y2]] = [at(radius + 4), at(radius + 8)];
      return draw("line", { x1, y1, x2, y2 });
    });
    return draw("g", { class: "sun" }, draw("circle", { cx: x, cy: y, r: radius }), ...rays);
  };
  const cloud = (dy: number, kind = "cloud"): SVGElement =>
    draw("path", {
      class: kind,
      transform: `translate(0 ${dy})`,
      d: "M19 44a9 9 0 0 1-.6-18A13 13 0 0 1 43.5 23 10.6 10.6 0 0 1 45 44z",
    });
  const drops = (length: number): SVGElement[] =>
    [22, 32, 42].map((x) =>
      draw("line", { class: "drop", x1: x, y1: 46, x2: x - length / 2.5, y2: 46 + length }),
    );
  const flakes = (): SVGElement[] =>
    [22, 32, 42].map((x, index) =>
      draw("circle", { class: "flake", cx: x, cy: index === 1 ? 55 : 50, r: 2.4 }),
    );
  const mist = (): SVGElement[] =>
    [48, 55].map((y, index) => draw("line", { class: "mist", x1: 14 + index * 6, y1: y, x2: 50, y2: y }));
  const bolt = (): SVGElement => draw("path", { class: "bolt", d: "M34 40l-8 11h6l-3 9 10-13h-6l4-7z" });
  const parts: Record<Sky, () => SVGElement[]> = {
    clear: () => [sun(32, 32, 12)],
    fair: () => [sun(40, 22, 9), cloud(6)],
    cloudy: () => [cloud(-7, "cloud far"), cloud(5)],
    rain: () => [...drops(10), cloud(-4, "cloud dark")],
    storm: () => [cloud(-4, "cloud dark"), bolt()],
    snow: () => [...flakes(), cloud(-4)],
    fog: () => [cloud(-4), ...mist()],
  };
  return draw("svg", { viewBox: "0 0 64 64", class: "sky", "aria-hidden": "true" }, ...parts[sky]());
}

/** Draws a drop, for the chance of rain. */
export function drawDrop(): SVGElement {
  const shape = draw("path", { d: "M6 1c3 4 5 6.5 5 9a5 5 0 0 1-10 0c0-2.5 2-5 5-9z" });
  return draw("svg", { viewBox: "0 0 12 16", "aria-hidden": "true" }, shape);
}
