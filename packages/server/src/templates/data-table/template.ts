/**
 * A table of records: sorted, searched, in pages, and as a file.
 *
 * @module
 */
import { textOfData } from "../../text-of-data.js";
import { builtIn } from "../built-in.js";
import type { JsonSchema } from "../check-config.js";
import type { Template } from "../template.js";

/** How the values of a column are written and sorted. */
export type ColumnType = "text" | "number" | "date" | "boolean" | "link";

/** One column. */
export interface Column {
  /** Which member of each record. */
  readonly key: string;
  /** Its heading; the key by default. */
  readonly label?: string | undefined;
  /** Whether people may sort by it; they may not by default. */
  readonly sortable?: boolean | undefined;
  /** Found out from the values by default. */
  readonly type?: ColumnType | undefined;
  /** Numbers stand at the end of their column by default, all else at its beginning. */
  readonly align?: "start" | "center" | "end" | undefined;
}

/** Configuration of {@link dataTable}. */
export interface DataTableConfig {
  readonly title?: string | undefined;
  /** Those of the records by default, all of them sortable. */
  readonly columns?: readonly Column[] | undefined;
  /** Rows of a page; 25 by default, 0 for all of them. */
  readonly pageSize?: number | undefined;
  /** Whether there is a field to search; there is by default. */
  readonly searchable?: boolean | undefined;
  /** Whether the rows can be had as a file; they can by default, where the host lets apps hand over files. */
  readonly downloadable?: boolean | undefined;
}

const column: JsonSchema = {
  type: "object",
  properties: {
    key: { type: "string", minLength: 1, description: "Which member of each record." },
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
    columns: { type: "array", items: column, description: "Those of the records by default." },
    pageSize: { type: "integer", minimum: 0, default: 25, description: "Rows of a page; 0 for all of them." },
    searchable: { type: "boolean", default: true },
    downloadable: { type: "boolean", default: true },
  },
  additionalProperties: false,
};

/**
 * Shows records as a table. Takes a list, `{ items: [...] }`, or one record.
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

/** What the columns show of each record, under their headings. */
function chosen(data: unknown, columns: readonly Column[]): unknown {
  const only = Object.values(Object(data));
  const list = Array.isArray(data) ? data : (Object(data).items ?? (only.length === 1 ? only[0] : undefined));
  // What is no list of records is told as it is.
  if (!Array.isArray(list) || !list.every((row) => row === Object(row))) return data;
  return list.map((row) => Object.fromEntries(columns.map(({ key, label = key }) => [label, row[key]])));
}
