/**
 * A form: what people fill in goes to a tool.
 *
 * @module
 */
import { textOfData } from "../../text-of-data.js";
import { builtIn } from "../built-in.js";
import type { JsonSchema } from "../check-config.js";
import type { Template } from "../template.js";
import { type Field, fieldSchema, questionsOf, submitSchema } from "./field.js";
import { fieldsOf } from "./fields-of-schema.js";
import { isFilling } from "./is-filling.js";

/** What is done with what was filled in. */
export interface SubmitConfig {
  readonly title?: string | undefined;
  /** The tool that gets the values; the one whose view it is by default. */
  readonly submitTool?: string | undefined;
  /** Arguments that it gets besides. */
  readonly submitArgs?: Readonly<Record<string, unknown>> | undefined;
  /** Whether there is a button to leave it; there is none by default. */
  readonly cancelable?: boolean | undefined;
}

/** Configuration of {@link form}. */
export interface FormConfig extends SubmitConfig {
  readonly description?: string | undefined;
  /** Those of the input schema of the tool whose view it is, by default. */
  readonly fields?: readonly Field[] | undefined;
}

const schema: JsonSchema = {
  type: "object",
  properties: {
    title: { type: "string", default: "Form" },
    description: { type: "string" },
    fields: { type: "array", items: fieldSchema, description: "Those of the tool's own input by default." },
    ...submitSchema,
  },
  additionalProperties: false,
};

/**
 * Has people fill in a tool's arguments, and calls it with them.
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

/** Data that only fills the form is shown as questions with answers; all other data speaks for itself. */
function textOfForm(
  data: unknown,
  { title = "Form", description, fields }: FormConfig,
  { inputSchema }: { readonly inputSchema?: object | undefined } = {},
): string {
  const asked = fields ?? fieldsOf(inputSchema);
  if (!isFilling(data, asked)) return textOfData(data);
  return [title, description, questionsOf(asked, data ?? {})].filter(Boolean).join("\n\n");
}
