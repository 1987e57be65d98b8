/**
 * Validates a user's answer against the form.
 *
 * @module
 */
import { isRecord, type JsonSchema, jsonSchemaProblem, recordOf } from "@vitrine/protocol";
import { unusable } from "./ask-error.js";
import type { FormField, FormSchema } from "./form-schema.js";

/** The answer to a form. */
export type FormAnswer = Record<string, string | number | boolean | string[]>;

/** Maximum characters of a text. */
const MAX_TEXT = 100_000;

const EMAIL = /^[^\s@]{1,254}@[^\s@.]+(\.[^\s@.]+)+$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/i;

/**
 * Returns the answer with the form's fields only.
 *
 * @throws {VitrineError} if it does not match the form, although the page submitted it
 */
export function readFormAnswer({ properties, required = [] }: FormSchema, content: unknown): FormAnswer {
  if (!isRecord(content ?? {})) throw unusable("its content must be an object");
  const given = recordOf(content);
  const answer: FormAnswer = {};
  for (const [name, field] of Object.entries(properties)) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (value === undefined) {
      if (required.includes(name)) throw unusable(`"${name}" is missing`);
      continue;
    }
    const at = JSON.stringify(name);
    const problem = jsonSchemaProblem(value, schemaOf(field), at) ?? problemOfFormat(field, value, at);
    if (problem) throw unusable(problem);
    answer[name] = value as FormAnswer[string];
  }
  return answer;
}

/** The field as JSON Schema, where choices with and without titles are the same. */
function schemaOf(field: FormField): JsonSchema {
  if (field.type === "array") {
    const { type, items, minItems } = field;
    const choices = "anyOf" in items ? items.anyOf.map((choice) => choice.const) : items.enum;
    const maxItems = field.maxItems ?? choices.length;
    return { type, items: { enum: choices }, minItems, maxItems, uniqueItems: true };
  }
  if ("oneOf" in field) return { type: "string", enum: field.oneOf.map((choice) => choice.const) };
  if (field.type !== "string" || "enum" in field) return field;
  return { ...field, maxLength: Math.min(field.maxLength ?? MAX_TEXT, MAX_TEXT) };
}

function problemOfFormat(field: FormField, value: unknown, at: string): string | undefined {
  const format = "format" in field ? field.format : undefined;
  return format && !FORMATS[format](`${value}`) ? `${at} must have the format ${format}` : undefined;
}

const isDay = (value: string): boolean => {
  const day = new Date(`${value.slice(0, 10)}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(value.slice(0, 10));
};

const FORMATS = {
  email: (value: string) => EMAIL.test(value),
  uri: (value: string) => /^[a-z][a-z0-9+.-]*:[^\s]+$/i.test(value) && URL.canParse(value),
  date: (value: string) => DATE.test(value) && isDay(value),
  "date-time": (value: string) => DATE_TIME.test(value) && isDay(value) && !Number.isNaN(Date.parse(value)),
};
