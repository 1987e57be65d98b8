/**
 * A form whose values go to a tool.
 *
 * @module
 */

import type { JsonSchema } from "@vitrine/protocol";
import { textOfData } from "../../text-of-data.js";
import { builtIn } from "../built-in.js";
import type { Template } from "../template.js";
import { type Field, fieldSchema, questionsOf, submitSchema } from "./field.js";
import { fieldsOf } from "./fields-of-schema.js";
import { isFilling } from "./is-filling.js";

/** Submit options. */
export interface SubmitConfig {
  readonly title?: string | undefined;
  /** The tool that gets the values; by default, the tool of this view. */
  readonly submitTool?: string | undefined;
  /** Additional arguments for the tool. */
  readonly submitArgs?: Readonly<Record<string, unknown>> | undefined;
  /** Whether there is a cancel button; false by default. */
  readonly cancelable?: boolean | undefined;
}

/** Configuration of {@link form}. */
export interface FormConfig extends SubmitConfig {
  readonly description?: string | undefined;
  /** By default, the fields of the input schema of this view's tool. */
  readonly fields?: readonly Field[] | undefined;
}

const schema: JsonSchema = {
  type: "object",
  properties: {
    title: { type: "string", default: "Form" },
    description: { type: "string" },
    fields: {
      type: "array",
      items: fieldSchema,
      description: "By default, the fields of the tool's input schema.",
    },
    ...submitSchema,
  },
  additionalProperties: false,
};

/**
 * Lets users fill in a tool's arguments, and calls it with them.
 *
 * @example
 * ```ts source="../../server.examples.ts#form"
 * const booking = view({
 *   name: "booking",
 *   template: form,
 *   config: {
 *     title: "Book a table",
 *     fields: [
 *       { name: "name", label: "Your name", required: true },
 *       { name: "people", type: "number", minimum: 1, maximum: 12, default: 2 },
 *       { name: "room", type: "select", options: ["inside", { value: "garden", label: "In the garden" }] },
 *     ],
 *     submitTool: "book-table",
 *   },
 * });
 *
 * ```
 */
export const form: Template<FormConfig> = builtIn({
  name: "form",
  title: "Form",
  usesTool: true,
  schema,
  text: textOfForm,
});

/** Data that only fills the form becomes questions with answers; other data is shown as it is. */
function textOfForm(
  data: unknown,
  { title = "Form", description, fields }: FormConfig,
  { inputSchema }: { readonly inputSchema?: object | undefined } = {},
): string {
  const asked = fields ?? fieldsOf(inputSchema);
  if (!isFilling(data, asked)) return textOfData(data);
  return [title, description, questionsOf(asked, data ?? {})].filter(Boolean).join("\n\n");
}
