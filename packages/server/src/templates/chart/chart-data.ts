/**
 * Reads the numbers of a chart from a tool's data, for the page and for the text.
 *
 * @module
 */
import { abs } from "./scale.js";
import type { ChartConfig } from "./template.js";

/** A series; missing or non-numeric values are undefined. */
export interface Series {
  readonly key: string;
  readonly label: string;
  readonly values: readonly (number | undefined)[];
}

/** The data to draw: one value per series and x value. */
export interface ChartData {
  /** Name of the x axis, if it has one. */
  readonly name: string;
  readonly x: readonly (string | number)[];
  /** Whether all x values are dates, and the format that distinguishes them. */
  readonly time: "dateStyle" | "timeStyle" | false;
  readonly series: readonly Series[];
}

type Column = readonly [key: string, values: readonly unknown[]];

/** The number in a value, or in its text. Limited, so that sums stay finite. */
export function numberOf(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() ? Number(value) : value;
  return typeof number === "number" && abs(number) < 1e300 ? number : undefined;
}

/** A value as text; never throws, whatever the tool returned. */
export const wordOf = (value: unknown): string =>
  Object(value) === value ? JSON.stringify(value) : `${value ?? ""}`;

const { isArray } = Array;

/** Reads data in any of the supported shapes. A series without any number is omitted. */
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
      // All on the same day?
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

/** Name of the labels column if the data has separate labels. */
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
