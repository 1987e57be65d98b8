/**
 * A table of records, with sorting, search, pages and download.
 *
 * @module
 */

import type { JsonSchema } from "@vitrine/protocol";
import { textOfData } from "../../text-of-data.js";
import { builtIn } from "../built-in.js";
import type { Template } from "../template.js";

/** How a column's values are displayed and sorted. */
export type ColumnType = "text" | "number" | "date" | "boolean" | "link";

/** A column. */
export interface Column {
  /** The field of each record. */
  readonly key: string;
  /** Its heading; the key by default. */
  readonly label?: string | undefined;
  /** Whether users can sort by it; false by default. */
  readonly sortable?: boolean | undefined;
  /** Derived from the values by default. */
  readonly type?: ColumnType | undefined;
  /** By default, numbers are aligned to the end, everything else to the start. */
  readonly align?: "start" | "center" | "end" | undefined;
}

/** Configuration of {@link dataTable}. */
export interface DataTableConfig {
  readonly title?: string | undefined;
  /** All fields of the records by default, all sortable. */
  readonly columns?: readonly Column[] | undefined;
  /** Rows per page; 25 by default, 0 for all. */
  readonly pageSize?: number | undefined;
  /** Whether there is a search field; true by default. */
  readonly searchable?: boolean | undefined;
  /** Whether the rows can be downloaded; true by default, if the host supports downloads. */
  readonly downloadable?: boolean | undefined;
}

const column: JsonSchema = {
  type: "object",
  properties: {
    key: { type: "string", minLength: 1, description: "The field of each record." },
    label: { type: "string", description: "Its heading; the key by default." },
    sortable: { type: "boolean", default: false },
    type: { type: "string", enum: ["text", "number", "date", "boolean", "link"] },
    align: { type: "string", enum: ["start", "center", "end"] },
  },
  required: ["key"],
  additionalProperties: false,
};

const schema: JsonSchema = {
  type: "object",
  properties: {
    title: { type: "string", default: "Data" },
    columns: { type: "array", items: column, description: "All fields of the records by default." },
    pageSize: { type: "integer", minimum: 0, default: 25, description: "Rows per page; 0 for all." },
    searchable: { type: "boolean", default: true },
    downloadable: { type: "boolean", default: true },
  },
  additionalProperties: false,
};

/**
 * Shows records as a table. Accepts a list, `{ items: [...] }`, or one record.
 *
 * @example
 * ```ts source="../../server.examples.ts#dataTable"
 * const cities = view({
 *   name: "cities",
 *   template: dataTable,
 *   config: { title: "Cities", columns: [{ key: "name", label: "City", sortable: true }, { key: "people" }] },
 * });
 *
 * ```
 */
export const dataTable: Template<DataTableConfig> = builtIn({
  name: "data-table",
  title: "Data",
  schema,
  text: (data, { columns }) => textOfData(columns ? chosen(data, columns) : data),
});

/** The configured columns of each record, under their headings. */
function chosen(data: unknown, columns: readonly Column[]): unknown {
  const only = Object.values(Object(data));
  const list = Array.isArray(data) ? data : (Object(data).items ?? (only.length === 1 ? only[0] : undefined));
  // Data that is not a list of records is returned as it is.
  if (!Array.isArray(list) || !list.every((row) => row === Object(row))) return data;
  return list.map((row) => Object.fromEntries(columns.map(({ key, label = key }) => [label, row[key]])));
}
