/**
 * The numbers of a chart, as tools give them: read for the page and for the text alike.
 *
 * @module
 */
import { abs } from "./scale.js";
import type { ChartConfig } from "./template.js";

/** One row of numbers; what is missing, or was no number, is undefined. */
export interface Series {
  readonly key: string;
  readonly label: string;
  readonly values: readonly (number | undefined)[];
}

/** What is drawn: a value of each series for each place on the x axis. */
export interface ChartData {
  /** What the x axis is called, if it has a name. */
  readonly name: string;
  readonly x: readonly (string | number)[];
  /** Whether all places are dates, and what tells them apart. */
  readonly time: "dateStyle" | "timeStyle" | false;
  readonly series: readonly Series[];
}

type Column = readonly [key: string, values: readonly unknown[]];

/** The number that a value is, or that is written in it; none so large that a sum of them is no number any more. */
export function numberOf(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() ? Number(value) : value;
  return typeof number === "number" && abs(number) < 1e300 ? number : undefined;
}

/** A value in words that never throws, whatever a tool gave. */
export const wordOf = (value: unknown): string =>
  Object(value) === value ? JSON.stringify(value) : `${value ?? ""}`;

const { isArray } = Array;

/** Reads data of any of the shapes that the template takes. A series without a single number is left out. */
export function chartOf(data: unknown, { x: wanted, series }: ChartConfig): ChartData {
  const columns = columnsOf(data);
  const hasNumber = ([, values]: Column): boolean => values.some((value) => typeof value === "number");
  const named = (name: string | undefined): Column | undefined => columns.find(([key]) => key === name);
  const places =
    named(LABELS) ?? named(wanted) ?? columns.find((each) => !hasNumber(each)) ?? (columns[1] && columns[0]);
  const [name, values] = places ?? [LABELS, columns[0]?.[1].map((_, at) => at + 1) ?? []];
  const chosen: readonly (readonly [string, Column[1] | undefined, string?])[] =
    series?.map(({ key, label }) => [key, named(key)?.[1], label]) ??
    columns.filter((each) => each !== places && hasNumber(each));
  const x = values.map((value) => (typeof value === "number" ? value : wordOf(value)));
  return {
    name,
    x,
    time:
      x.every((each) => /^\d{4}-\d\d-\d\d(T\S+)?$/.test(`${each}`)) &&
      // All of one day?
      (/^(.{10}T)\S*( \1\S*)*$/.test(x.join(" ")) ? "timeStyle" : "dateStyle"),
    series: chosen
      .map(([key, given, label = key]) => ({
        key,
        label,
        values: x.map((_, at) => numberOf(given?.[at])),
      }))
      .filter((each) => each.values.some((value) => value !== undefined)),
  };
}

/** What the column of labels is called where the data has them apart. */
const LABELS = " ";

function columnsOf(data: unknown): Column[] {
  const given = Object(data);
  const { labels, series, items } = given;
  if (isArray(labels) && isArray(series))
    return [
      [LABELS, labels],
      ...series.map((each, at): Column => {
        const { label = at + 1, values } = Object(each);
        return [wordOf(label), isArray(values) ? values : []];
      }),
    ];
  const list: readonly unknown[] = [data, items, ...Object.values(given)].find(isArray) ?? [];
  const rows = list.map(
    (each) => (Object(each) === each ? each : { value: each }) as Record<string, unknown>,
  );
  const keys = new Set(rows.flatMap((row) => Object.keys(row)));
  return [...keys].map((key) => [key, rows.map((row) => row[key])]);
}
