/**
 * Draws two axes with bars, lines or areas.
 *
 * @module
 */
import type { ChartData, Series } from "./chart-data.js";
import { abs, max, min, round, scaleOf } from "./scale.js";
import { path, shape } from "./shape.js";
import type { ChartKind } from "./template.js";

/** A drawn value: its position, its series and index, and its own shape, if any. */
export type Mark = readonly [
  point: readonly [x: number, y: number],
  one: Series,
  at: number,
  node?: Element | false,
];

/** Formats a value; for an axis, with the given number of digits. */
export type WriteNumber = (value: number, digits?: number) => string;

/** Formats an x value, optionally in short form. */
export type WritePlace = (x: string | number | undefined, isShort?: boolean) => string;

/**
 * Adds bars, lines or areas to a list of shapes. Returns the positions of the values, series by series;
 * missing values are at the bottom.
 */
export function drawAxes(
  { x, time, series }: ChartData,
  kind: ChartKind,
  isStacked: boolean | undefined,
  width: number,
  height: number,
  /** 1 for left to right, -1 for right to left. */
  way: number,
  number: WriteNumber,
  place: WritePlace,
  shapes: Element[],
): Mark[] {
  /** Margins at the sides and under the axis. */
  const side = 8;
  const bottom = 28;
  const isBar = kind === "bar";
  const ends: number[] = [];
  const piles: [number[], number[]] = [[], []];
  /** Start and end of each value: from zero, or from the value it is stacked on, upwards or downwards. */
  const spans = series.map(({ values }) =>
    values.map((value, at) => {
      if (value === undefined) return undefined;
      const pile = piles[value < 0 ? 0 : 1];
      const from = (isStacked && pile[at]) || 0;
      const to = from + value;
      pile[at] = to;
      ends.push(kind === "line" ? to : from, to);
      return [from, to];
    }),
  );
  ends.sort((one, other) => one - other);
  const [ticks, share, digits] = scaleOf(ends[0] ?? 0, ends.at(-1) ?? 0, height / 60);
  const labels = ticks.map((tick) => number(tick, digits));
  const gutter = widthOf(labels) + side;
  const inner = width - gutter - side;
  const band = inner / x.length;
  const flip = (at: number): number => tenth(way < 0 ? width - at : at);
  const down = (value: number): number => tenth(side + (1 - share(value)) * (height - side - bottom));
  const write = (left: number, top: number, anchor: string, text = ""): unknown =>
    shapes.push(shape("text", { x: left, y: top, "text-anchor": anchor }, text));
  ticks.forEach((tick, at) => {
    shapes.push(path(tick ? "grid area" : "grid", `M${flip(gutter)} ${down(tick)}H${flip(width - side)}`));
    write(flip(gutter - 6), down(tick) + 4, "end", labels[at]);
  });

  // Dates are spaced by time; bars stand side by side.
  const ways = x.map((each, at) => (time && !isBar ? Date.parse(`${each}`) : at));
  const sorted = [...ways].sort((one, other) => one - other);
  const [first = 0] = sorted;
  const across = (at: number): number =>
    flip(
      gutter + band / 2 + (((ways[at] ?? 0) - first) / ((sorted.at(-1) ?? 0) - first) || 0) * (inner - band),
    );
  const room = max(band, min(widthOf(x.slice(0, 99).map((each) => place(each, true))), 90) + 9);
  let before = -room;
  x.forEach((each, at) => {
    const left = across(at);
    if (abs(left - before) < room - 1) return;
    before = left;
    const name = place(each, true);
    const fits = room / 7;
    const text = name.length > fits ? `${name.slice(0, fits - 1)}…` : name;
    const half = widthOf([text]) / 2;
    write(max(half, min(left, width - half)), height - 6, "middle", text);
  });

  const many = isStacked || !isBar ? 1 : series.length;
  const thick = tenth(min((band * 0.75) / many, 64));
  return series.flatMap((one, s) => {
    let [line, area, end] = ["", "", ""];
    const marks = one.values.map((_, i): Mark => {
      const span = spans[s]?.[i];
      const left = across(i) + (many > 1 ? (s - (many - 1) / 2) * thick * way : 0);
      const [base = 0, y = height - bottom] = span?.map(down) ?? [];
      const point = [left, y] as const;
      // After a gap the line starts again. A single point between gaps is a line of length zero with round
      // ends.
      if (span) line += end ? `L${point}` : `M${point}h0`;
      if (span && end) area += `${end}L${point} ${left} ${base}z`;
      end = span ? `M${left} ${base}L${point}` : "";
      const edge = tenth(left - thick / 2);
      const node = span && isBar && path("fill", `M${edge} ${base}h${thick}V${y}H${edge}z`, s);
      if (node) shapes.push(node);
      return [point, one, i, node];
    });
    if (kind === "area") shapes.push(path("fill area", area, s));
    if (!isBar) shapes.push(path(`line d${s % 3}`, line, s));
    return marks;
  });
}

/** Approximate width of the longest text. */
const widthOf = (texts: readonly string[]): number => max(...texts.map(({ length }) => length)) * 7;

const tenth = (value: number): number => round(value * 10) / 10;
