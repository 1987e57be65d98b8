/**
 * A record as a card, with actions.
 *
 * @module
 */

import type { JsonSchema } from "@vitrine/protocol";
import { textOfData } from "../../text-of-data.js";
import { builtIn } from "../built-in.js";
import type { Template } from "../template.js";
import { recordOf } from "./record.js";

/** How a field's value is displayed. */
export type DetailFieldType = "text" | "number" | "date" | "boolean" | "link" | "badge";

/** A field. */
export interface DetailField {
  /** The field of the record. */
  readonly key: string;
  /** The displayed name; the key by default. */
  readonly label?: string | undefined;
  /** Derived from the value by default. */
  readonly type?: DetailFieldType | undefined;
}

/** A button that calls a tool. */
export interface DetailAction {
  readonly label: string;
  readonly tool: string;
  /** The tool's arguments. The string `"{key}"` is replaced by that field of the record. */
  readonly args?: Readonly<Record<string, unknown>> | undefined;
  /** A question to confirm before the tool is called. */
  readonly confirm?: string | undefined;
  /** Style of the button; `plain` by default. */
  readonly style?: "plain" | "main" | "danger" | undefined;
}

/** Configuration of {@link detail}. */
export interface DetailConfig {
  readonly title?: string | undefined;
  /** All fields of the record by default. */
  readonly fields?: readonly DetailField[] | undefined;
  readonly actions?: readonly DetailAction[] | undefined;
}

const field: JsonSchema = {
  type: "object",
  properties: {
    key: { type: "string", minLength: 1, description: "The field of the record." },
    label: { type: "string", description: "The displayed name; the key by default." },
    type: { type: "string", enum: ["text", "number", "date", "boolean", "link", "badge"] },
  },
  required: ["key"],
  additionalProperties: false,
};

const action: JsonSchema = {
  type: "object",
  properties: {
    label: { type: "string", minLength: 1 },
    tool: { type: "string", minLength: 1 },
    args: {
      type: "object",
      description:
        'The tool\'s arguments. A text that is "{key}" and nothing else is that member of the record.',
    },
    confirm: {
      type: "string",
      minLength: 1,
      description: "A question to confirm before the tool is called.",
    },
    style: { type: "string", enum: ["plain", "main", "danger"], default: "plain" },
  },
  required: ["label", "tool"],
  additionalProperties: false,
};

const schema: JsonSchema = {
  type: "object",
  properties: {
    title: { type: "string", default: "Details" },
    fields: { type: "array", items: field, description: "All fields of the record by default." },
    actions: { type: "array", items: action },
  },
  additionalProperties: false,
};

/**
 * Shows one record; nested records become sections, lists become lists. Accepts a record, or a list with one.
 *
 * @example
 * ```ts source="../../server.examples.ts#detail"
 * const parcel = view({
 *   name: "parcel",
 *   template: detail,
 *   config: {
 *     title: "Parcel",
 *     fields: [{ key: "id" }, { key: "status", type: "badge" }, { key: "due", label: "Arrives", type: "date" }],
 *     actions: [
 *       {
 *         label: "Return",
 *         tool: "return-parcel",
 *         args: { id: "{id}" },
 *         confirm: "Send it back?",
 *         style: "danger",
 *       },
 *     ],
 *   },
 * });
 *
 * ```
 */
export const detail: Template<DetailConfig> = builtIn({
  name: "detail",
  title: "Details",
  schema,
  text: textOfDetail,
});

function textOfDetail(data: unknown, { title, fields, actions = [] }: DetailConfig): string {
  const record = recordOf(
    data,
    fields?.map(({ key }) => key),
  );
  if (!record) return textOfData(data) || "Nothing to show.";
  const shown = fields
    ? Object.fromEntries(fields.map(({ key, label = key }) => [label, record[key]]))
    : record;
  const can = actions.map(({ label, tool }) => `${label} (tool ${tool})`).join(", ");
  return [title, textOfData(shown), can && `Actions: ${can}`].filter(Boolean).join("\n\n");
}
