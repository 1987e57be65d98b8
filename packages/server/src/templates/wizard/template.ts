/**
 * A form in steps.
 *
 * @module
 */

import type { JsonSchema } from "@vitrine/protocol";
import { textOfData } from "../../text-of-data.js";
import { builtIn } from "../built-in.js";
import { type Field, fieldSchema, questionsOf, submitSchema } from "../form/field.js";
import { isFilling } from "../form/is-filling.js";
import type { SubmitConfig } from "../form/template.js";
import type { Template } from "../template.js";

/** A step of a {@link wizard}. */
export interface WizardStep {
  readonly title: string;
  readonly description?: string | undefined;
  readonly fields: readonly Field[];
}

/** Configuration of {@link wizard}. */
export interface WizardConfig extends SubmitConfig {
  readonly steps: readonly WizardStep[];
}

const schema: JsonSchema = {
  type: "object",
  properties: {
    title: { type: "string", default: "Wizard" },
    steps: {
      type: "array",
      minItems: 1,
      items: {
        type: "object",
        properties: {
          title: { type: "string", minLength: 1 },
          description: { type: "string" },
          fields: { type: "array", items: fieldSchema },
        },
        required: ["title", "fields"],
        additionalProperties: false,
      },
    },
    ...submitSchema,
  },
  required: ["steps"],
  additionalProperties: false,
};

/**
 * Lets users fill in a tool's arguments step by step and review them, then calls the tool.
 *
 * @example
 * ```ts source="../../server.examples.ts#wizard"
 * const newServer = view({
 *   name: "new-server",
 *   template: wizard,
 *   config: {
 *     title: "New server",
 *     steps: [
 *       { title: "Name", fields: [{ name: "name", required: true }] },
 *       {
 *         title: "Size",
 *         description: "It can be changed later.",
 *         fields: [{ name: "memory", label: "Memory in GiB", type: "select", options: [2, 4, 8], default: 4 }],
 *       },
 *     ],
 *     submitTool: "create-server",
 *   },
 * });
 *
 * ```
 */
export const wizard: Template<WizardConfig> = builtIn({
  name: "wizard",
  title: "Wizard",
  usesTool: true,
  schema,
  text: textOfWizard,
});

function textOfWizard(data: unknown, { title = "Wizard", steps }: WizardConfig): string {
  const fields = steps.flatMap((step) => step.fields);
  if (!isFilling(data, fields)) return textOfData(data);
  const parts = steps.map(({ title: heading, description, fields: asked }, at) =>
    [`${at + 1}. ${heading}`, description, questionsOf(asked, data ?? {})].filter(Boolean).join("\n\n"),
  );
  return [title, ...parts].join("\n\n");
}
