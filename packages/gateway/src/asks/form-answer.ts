/**
 * Validates a user's answer against the form.
 *
 * @module
 */
import { isRecord, recordOf } from "@vitrine/protocol";
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
    const problem = problemOf(field, value);
    if (problem) throw unusable(`"${name}" ${problem}`);
    answer[name] = value as FormAnswer[string];
  }
  return answer;
}

function problemOf(field: FormField, value: unknown): string | undefined {
  switch (field.type) {
    case "boolean":
      return typeof value === "boolean" ? undefined : "must be true or false";
    case "number":
    case "integer":
      return problemOfNumber(field, value);
    case "array":
      return problemOfSeveral(field, value);
    case "string":
      return problemOfText(field, value);
  }
}

function problemOfNumber(
  { type, minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY }: NumberField,
  value: unknown,
): string | undefined {
  if (typeof value !== "number" || !Number.isFinite(value)) return "must be a number";
  if (type === "integer" && !Number.isInteger(value)) return "must be a whole number";
  return value < minimum || value > maximum ? `must be between ${minimum} and ${maximum}` : undefined;
}

function problemOfSeveral(
  { items, minItems = 0, maxItems }: SeveralField,
  value: unknown,
): string | undefined {
  const choices = "anyOf" in items ? items.anyOf.map((choice) => choice.const) : items.enum;
  if (!Array.isArray(value) || !value.every((each) => choices.includes(each))) {
    return "must contain only listed choices";
  }
  if (new Set(value).size < value.length) return "must contain each choice once";
  const most = maxItems ?? choices.length;
  return value.length < minItems || value.length > most
    ? `must be ${minItems} to ${most} choices`
    : undefined;
}

function problemOfText(field: TextField, value: unknown): string | undefined {
  if (typeof value !== "string") return "must be a string";
  if ("enum" in field) return field.enum.includes(value) ? undefined : "must be one of the choices";
  if ("oneOf" in field) {
    return field.oneOf.some((choice) => choice.const === value) ? undefined : "must be one of the choices";
  }
  const { minLength = 0, maxLength = MAX_TEXT, format } = field;
  const most = Math.min(maxLength, MAX_TEXT);
  // JSON Schema counts code points.
  const length = [...value.slice(0, MAX_TEXT + 1)].length;
  if (length < minLength || length > most) return `must have ${minLength} to ${most} characters`;
  return format && !FORMATS[format](value) ? `must have the format ${format}` : undefined;
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

type NumberField = Extract<FormField, { type: "number" | "integer" }>;
type SeveralField = Extract<FormField, { type: "array" }>;
type TextField = Extract<FormField, { type: "string" }>;
