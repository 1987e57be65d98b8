/**
 * Numbers as a chart: bars, lines, areas or a ring, with a table of the same data.
 *
 * @module
 */

import type { JsonSchema } from "@vitrine/protocol";
import { builtIn } from "../built-in.js";
import type { Template } from "../template.js";
import { textOfChart } from "./text.js";

/** The kind of chart. */
export type ChartKind = "bar" | "line" | "area" | "pie";

/** A series of numbers. */
export interface ChartSeries {
  /** The field of the records, or the label of a series in the data. */
  readonly key: string;
  /** The displayed name; the key by default. */
  readonly label?: string | undefined;
}

/** Configuration of {@link chart}. */
export interface ChartConfig {
  readonly title?: string | undefined;
  /** `bar` by default. */
  readonly kind?: ChartKind | undefined;
  /** The field with the categories or dates; by default, the first that is not a number. */
  readonly x?: string | undefined;
  /** All numeric fields by default. */
  readonly series?: readonly ChartSeries[] | undefined;
  /** Whether series are stacked; false by default. */
  readonly stacked?: boolean | undefined;
  /** Number format; as `percent`, 0.25 is 25 %. */
  readonly format?: "number" | "percent" | "currency" | undefined;
  /** For `format: "currency"`: three letters, like `EUR`; `USD` by default. */
  readonly currency?: string | undefined;
  /** Shown after each number: `km`, `°C`. */
  readonly unit?: string | undefined;
  /** Height of the drawing in pixels; by default half of its width, within limits. */
  readonly height?: number | undefined;
  /** Called with `{ series, x, value }` when a value is selected. */
  readonly onSelectTool?: string | undefined;
}

const one: JsonSchema = {
  type: "object",
  properties: {
    key: {
      type: "string",
      minLength: 1,
      description: "The field of the records, or the label of a series in the data.",
    },
    label: { type: "string", description: "The displayed name; the key by default." },
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
      description: "The field with the categories or dates; by default, the first that is not a number.",
    },
    series: {
      type: "array",
      items: one,
      minItems: 1,
      description: "All numeric fields by default.",
    },
    stacked: { type: "boolean", default: false, description: "Whether series are stacked." },
    format: {
      type: "string",
      enum: ["number", "percent", "currency"],
      default: "number",
      description: "Number format; as percent, 0.25 is 25 %.",
    },
    currency: {
      type: "string",
      pattern: "^[A-Z]{3}$",
      default: "USD",
      description: 'Of format "currency": three letters, like EUR.',
    },
    unit: { type: "string", description: "Shown after each number." },
    height: { type: "integer", minimum: 120, maximum: 2000, description: "Height of the drawing in pixels." },
    onSelectTool: {
      type: "string",
      minLength: 1,
      description: "Called with { series, x, value } when a value is selected.",
    },
  },
  additionalProperties: false,
};

/**
 * Draws numbers. Accepts a list of records, `{ items: [...] }`, `{ labels: [...], series: [{ label, values:
 * [...] }] }`, or a list of numbers.
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
