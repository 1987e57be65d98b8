/**
 * A chart as text: a summary and a table.
 *
 * @module
 */
import { cell } from "../../text-of-data.js";
import { type ChartData, chartOf, wordOf } from "./chart-data.js";
import type { ChartConfig } from "./template.js";

/** Maximum rows of the table. */
const MAX_ROWS = 100;

/** The highest and lowest value in a sentence, and all values in a Markdown table. */
export function textOfChart(data: unknown, config: ChartConfig): string {
  const { title, unit = "" } = config;
  const chart = chartOf(data, config);
  const { x, name, series } = chart;
  if (series.length === 0) return typeof data === "string" && data ? data : "Nothing to show.";
  const number = (value: number | undefined): string => (value === undefined ? "" : written(value, config));
  const after = unit && ` ${unit}`;
  const sentence = sentenceOf(chart, (value) => number(value) + after);
  const head = [name, ...series.map(({ label }) => label + (unit && ` (${unit})`))];
  const rows = x
    .slice(0, MAX_ROWS)
    .map((place, at) => [wordOf(place), ...series.map(({ values }) => number(values[at]))]);
  const table = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.map(cell).join(" | ")} |`);
  const rest = x.length > MAX_ROWS ? `\n\n… and ${x.length - MAX_ROWS} more` : "";
  return `${title ? `${title}: ` : ""}${sentence}\n\n${table.join("\n")}${rest}`;
}

/** Unlocalized digits: models read this, regardless of the user's language. */
function written(value: number, { format, currency = "USD" }: ChartConfig): string {
  if (format === "percent") return `${Number((value * 100).toPrecision(12))} %`;
  return format === "currency" ? `${value} ${currency}` : `${value}`;
}

/** Describes where the highest and lowest values are. */
function sentenceOf({ x, series }: ChartData, number: (value: number) => string): string {
  const all = series
    .flatMap(({ label, values }) =>
      values.flatMap((value, at) => (value === undefined ? [] : [{ value, at: wordOf(x[at]), label }])),
    )
    .sort((one, other) => one.value - other.value);
  const [lowest] = all;
  const highest = all.at(-1);
  if (!lowest || !highest) return "";
  const told = ({ value, at, label }: typeof lowest): string =>
    `${number(value)} (${at}${series.length > 1 ? `, ${label}` : ""})`;
  return lowest.value === highest.value
    ? `Every value is ${number(lowest.value)}.`
    : `Highest: ${told(highest)}. Lowest: ${told(lowest)}.`;
}
