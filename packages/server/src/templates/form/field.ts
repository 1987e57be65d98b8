/**
 * Form fields: their configuration, and their text form.
 *
 * @module
 */
import type { JsonSchema } from "@vitrine/protocol";

/** The type of a field's value. */
export type FieldType =
  | "text"
  | "email"
  | "password"
  | "number"
  | "textarea"
  | "select"
  | "checkbox"
  | "date";

/** A value that can be an argument as it is. */
export type FieldValue = string | number | boolean;

/** An option: a value, or a value with a label. */
export type FieldOption = FieldValue | { readonly value: FieldValue; readonly label?: string | undefined };

/** A field. */
export interface Field {
  /** The name of the argument. */
  readonly name: string;
  /** `text` by default. */
  readonly type?: FieldType | undefined;
  /** The displayed name; the argument's name by default. */
  readonly label?: string | undefined;
  /** A help text. */
  readonly description?: string | undefined;
  /** Whether it must be filled in, or a checkbox checked; false by default. */
  readonly required?: boolean | undefined;
  readonly placeholder?: string | undefined;
  readonly default?: FieldValue | undefined;
  /** Options of a `select`. */
  readonly options?: readonly FieldOption[] | undefined;
  /** For numbers. */
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
}

const value: JsonSchema = { anyOf: [{ type: "string" }, { type: "number" }, { type: "boolean" }] };

/** Schema of a field's configuration. */
export const fieldSchema: JsonSchema = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 1, description: "The name of the argument." },
    type: {
      type: "string",
      enum: ["text", "email", "password", "number", "textarea", "select", "checkbox", "date"],
      default: "text",
    },
    label: { type: "string", description: "The displayed name; the argument's name by default." },
    description: { type: "string", description: "A help text." },
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
      description: "Options of a select.",
    },
    minimum: { type: "number" },
    maximum: { type: "number" },
  },
  required: ["name"],
  additionalProperties: false,
};

/** Schemas of the submit options of forms and wizards. */
export const submitSchema: Readonly<Record<"submitTool" | "submitArgs" | "cancelable", JsonSchema>> = {
  submitTool: {
    type: "string",
    minLength: 1,
    description: "The tool that gets the values; by default, the tool of this view.",
  },
  submitArgs: { type: "object", description: "Additional arguments for the tool." },
  cancelable: { type: "boolean", default: false },
};

/** A field in text form: it may have types that only pages support. */
type Question = Omit<Field, "type"> & { readonly type?: string | undefined };

/** Fields as questions, with the known answers. */
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
