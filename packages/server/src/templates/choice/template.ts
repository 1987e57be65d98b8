/**
 * A question with answers to choose from.
 *
 * @module
 */

import type { JsonSchema } from "@vitrine/protocol";
import { textOfData } from "../../text-of-data.js";
import { builtIn } from "../built-in.js";
import type { Template } from "../template.js";
import { type Asking, askedOf } from "./options.js";

/** Configuration of {@link choice}. `question`, `options` and `multiple` can also come from the data. */
export interface ChoiceConfig extends Asking {
  readonly title?: string | undefined;
  /** The tool that gets the answer; by default it goes to the conversation. */
  readonly submitTool?: string | undefined;
  /** Additional arguments for the tool. */
  readonly submitArgs?: Readonly<Record<string, unknown>> | undefined;
  /** Name of the argument with the value or the list of values; `choice` by default. */
  readonly argument?: string | undefined;
}

const value: readonly JsonSchema[] = [{ type: "string" }, { type: "number" }, { type: "boolean" }];
const option: JsonSchema = {
  type: "object",
  properties: { value: { anyOf: value }, label: { type: "string" }, description: { type: "string" } },
  required: ["value"],
  additionalProperties: false,
};

const schema: JsonSchema = {
  type: "object",
  properties: {
    title: { type: "string", default: "Choice" },
    question: { type: "string", description: "The data's question by default." },
    options: {
      type: "array",
      items: { anyOf: [...value, option] },
      description: "The data's options by default.",
    },
    multiple: { type: "boolean", default: false },
    submitTool: {
      type: "string",
      minLength: 1,
      description: "Gets the answer; by default it goes to the conversation.",
    },
    submitArgs: { type: "object", description: "Additional arguments for the tool." },
    argument: { type: "string", minLength: 1, default: "choice" },
  },
  additionalProperties: false,
};

/**
 * Lets users choose one or several of a list of options.
 *
 * @example
 * ```ts source="../../server.examples.ts#choice"
 * const plans = view({
 *   name: "plans",
 *   template: choice,
 *   config: {
 *     question: "Which plan do you want?",
 *     options: [
 *       { value: "basic", label: "Basic", description: "One server" },
 *       { value: "pro", label: "Pro", description: "Ten servers, and someone to call" },
 *     ],
 *     submitTool: "set-plan",
 *     argument: "plan",
 *   },
 * });
 *
 * ```
 */
export const choice: Template<ChoiceConfig> = builtIn({
  name: "choice",
  title: "Choice",
  schema,
  text: textOfChoice,
});

function textOfChoice(data: unknown, config: ChoiceConfig): string {
  const { question, options, isMultiple } = askedOf(data, config);
  if (options.length === 0) return [question, textOfData(data)].filter(Boolean).join("\n\n");
  const lines = options.map(
    ({ label, description }) => `- ${label}${description ? ` – ${description}` : ""}`,
  );
  const heading = question || config.title || "Choice";
  return `${heading} (choose ${isMultiple ? "any of them" : "one"})\n\n${lines.join("\n")}`;
}
