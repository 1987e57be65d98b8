/**
 * Fields that people fill in: what a configuration says of one, and how one is asked for in words.
 *
 * @module
 */
import type { JsonSchema } from "../check-config.js";

/** What a field takes. */
export type FieldType =
  | "text"
  | "email"
  | "password"
  | "number"
  | "textarea"
  | "select"
  | "checkbox"
  | "date";

/** What stands for itself in a tool's arguments. */
export type FieldValue = string | number | boolean;

/** One thing that can be chosen: a value, or a value with a name of its own. */
export type FieldOption = FieldValue | { readonly value: FieldValue; readonly label?: string | undefined };

/** One field. */
export interface Field {
  /** The name of the argument. */
  readonly name: string;
  /** Text by default. */
  readonly type?: FieldType | undefined;
  /** The name by default. */
  readonly label?: string | undefined;
  /** A sentence that helps. */
  readonly description?: string | undefined;
  /** Whether it must be filled in; a checkbox: whether it must be checked. It need not by default. */
  readonly required?: boolean | undefined;
  readonly placeholder?: string | undefined;
  readonly default?: FieldValue | undefined;
  /** What a `select` offers. */
  readonly options?: readonly FieldOption[] | undefined;
  /** Of numbers. */
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
}

const value: JsonSchema = { anyOf: [{ type: "string" }, { type: "number" }, { type: "boolean" }] };

/** What a field's configuration must be. */
export const fieldSchema: JsonSchema = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 1, description: "The name of the argument." },
    type: {
      type: "string",
      enum: ["text", "email", "password", "number", "textarea", "select", "checkbox", "date"],
      default: "text",
    },
    label: { type: "string", description: "The name by default." },
    description: { type: "string", description: "A sentence that helps." },
    required: { type: "boolean", default: false },
    placeholder: { type: "string" },
    default: value,
    options: {
      type: "array",
      items: {
        anyOf: [
          ...(value.anyOf ?? []),
          {
            type: "object",
            properties: { value, label: { type: "string" } },
            required: ["value"],
            additionalProperties: false,
          },
        ],
      },
      description: "What a select offers.",
    },
    minimum: { type: "number" },
    maximum: { type: "number" },
  },
  required: ["name"],
  additionalProperties: false,
};

/** What forms and wizards do with what was filled in. */
export const submitSchema: Readonly<Record<"submitTool" | "submitArgs" | "cancelable", JsonSchema>> = {
  submitTool: {
    type: "string",
    minLength: 1,
    description: "The tool that gets the values; the one whose view it is by default.",
  },
  submitArgs: { type: "object", description: "Arguments that it gets besides." },
  cancelable: { type: "boolean", default: false },
};

/** What is asked of a field in words: its type may be one that only pages know. */
type Question = Omit<Field, "type"> & { readonly type?: string | undefined };

/** Fields as questions, with the answers that are there. */
export function questionsOf(fields: readonly Question[], answers: Readonly<Record<string, unknown>>): string {
  return fields
    .map(({ name, label = name, type, required, options = [], description, ...field }) => {
      const given = type === "password" ? undefined : (answers[name] ?? field.default);
      const offered = options.map((each) =>
        String(typeof each === "object" ? (each.label ?? each.value) : each),
      );
      const about = [required && "required", offered.length > 0 && `one of ${offered.join(", ")}`].filter(
        Boolean,
      );
      return [
        `- ${label}`,
        about.length > 0 && ` (${about.join("; ")})`,
        description && ` – ${description}`,
        given !== undefined &&
          given !== "" &&
          `: ${typeof given === "object" ? JSON.stringify(given) : given}`,
      ]
        .filter(Boolean)
        .join("");
    })
    .join("\n");
}
