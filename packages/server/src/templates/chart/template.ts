/**
 * Numbers as a picture: bars, lines, areas or a ring, with a table of the same.
 *
 * @module
 */
import { builtIn } from "../built-in.js";
import type { JsonSchema } from "../check-config.js";
import type { Template } from "../template.js";
import { textOfChart } from "./text.js";

/** What the numbers are drawn as. */
export type ChartKind = "bar" | "line" | "area" | "pie";

/** One row of numbers. */
export interface ChartSeries {
  /** Which member of the records, or the label of a series in the data. */
  readonly key: string;
  /** What it is called; the key by default. */
  readonly label?: string | undefined;
}

/** Configuration of {@link chart}. */
export interface ChartConfig {
  readonly title?: string | undefined;
  /** Bars by default. */
  readonly kind?: ChartKind | undefined;
  /** The member of the records with the categories or the dates; the first that is no number by default. */
  readonly x?: string | undefined;
  /** All members that are numbers by default. */
  readonly series?: readonly ChartSeries[] | undefined;
  /** Series stand on each other; they do not by default. */
  readonly stacked?: boolean | undefined;
  /** How numbers are written; 0.25 is 25 % as `percent`. */
  readonly format?: "number" | "percent" | "currency" | undefined;
  /** Of `format: "currency"`: three letters, like `EUR`; `USD` by default. */
  readonly currency?: string | undefined;
  /** What stands after each number: `km`, `°C`. */
  readonly unit?: string | undefined;
  /** Of the drawing, in pixels; half of its width by default, within bounds. */
  readonly height?: number | undefined;
  /** Called with `{ series, x, value }` when a value is chosen. */
  readonly onSelectTool?: string | undefined;
}

const one: JsonSchema = {
  type: "object",
  properties: {
    key: {
      type: "string",
      minLength: 1,
      description: "Which member of the records, or the label of a series in the data.",
    },
    label: { type: "string", description: "What it is called; the key by default." },
  },
  required: ["key"],
  additionalProperties: false,
};

const schema: JsonSchema = {
  type: "object",
  properties: {
    title: { type: "string", default: "Chart" },
    kind: { type: "string", enum: ["bar", "line", "area", "pie"], default: "bar" },
    x: {
      type: "string",
      minLength: 1,
      description: "The member with the categories or dates; the first that is no number by default.",
    },
    series: {
      type: "array",
      items: one,
      minItems: 1,
      description: "All members that are numbers by default.",
    },
    stacked: { type: "boolean", default: false, description: "Series stand on each other." },
    format: {
      type: "string",
      enum: ["number", "percent", "currency"],
      default: "number",
      description: "How numbers are written; 0.25 is 25 % as percent.",
    },
    currency: {
      type: "string",
      pattern: "^[A-Z]{3}$",
      default: "USD",
      description: 'Of format "currency": three letters, like EUR.',
    },
    unit: { type: "string", description: "What stands after each number." },
    height: { type: "integer", minimum: 120, maximum: 2000, description: "Of the drawing, in pixels." },
    onSelectTool: {
      type: "string",
      minLength: 1,
      description: "Called with { series, x, value } when a value is chosen.",
    },
  },
  additionalProperties: false,
};

/**
 * Draws numbers. Takes a list of records, `{ items: [...] }`, `{ labels: [...], series: [{ label, values: [...] }] }`, or a
 * list of numbers.
 *
 * @example
 * ```ts source="../../server.examples.ts#chart"
 * const sales = view({
 *   name: "sales",
 *   template: chart,
 *   config: {
 *     title: "Sales by month",
 *     kind: "line",
 *     x: "month",
 *     series: [{ key: "sales", label: "Sales" }, { key: "returns" }],
 *     format: "currency",
 *     currency: "EUR",
 *     onSelectTool: "open_month",
 *   },
 * });
 *
 * ```
 */
export const chart: Template<ChartConfig> = builtIn({
  name: "chart",
  title: "Chart",
  schema,
  text: textOfChart,
});
