/**
 * Parses forms for users: flat, with simple fields, as MCP defines them.
 *
 * @module
 */
import { isRecord } from "@vitrine/protocol";
import { invalid } from "./ask-error.js";

/** Members that all fields have. */
interface Labels {
  title?: string;
  description?: string;
}

/** A choice of texts, with or without titles. */
export type Choice = { enum: string[]; enumNames?: string[] } | { oneOf: { const: string; title: string }[] };

/** A field. */
export type FormField = Labels &
  (
    | ({ type: "string"; default?: string } & Choice)
    | {
        type: "string";
        minLength?: number;
        maxLength?: number;
        format?: "email" | "uri" | "date" | "date-time";
        default?: string;
      }
    | { type: "number" | "integer"; minimum?: number; maximum?: number; default?: number }
    | { type: "boolean"; default?: boolean }
    | {
        type: "array";
        items: { type: "string"; enum: string[] } | { anyOf: { const: string; title: string }[] };
        minItems?: number;
        maxItems?: number;
        default?: string[];
      }
  );

/** A form. */
export interface FormSchema {
  type: "object";
  properties: Record<string, FormField>;
  required?: string[];
}

const MAX_FIELDS = 50;
const MAX_NAME = 200;
const MAX_LABEL = 5_000;
const MAX_CHOICES = 500;
const FORMATS = ["email", "uri", "date", "date-time"] as const;

/**
 * Parses a form. The result contains only members that MCP defines. Anything else (patterns, references,
 * conditions) is dropped, so that it cannot be executed.
 *
 * @throws {VitrineError} −32602 for a malformed form
 */
export function readFormSchema(schema: unknown): FormSchema {
  const path = "params.requestedSchema";
  if (!isRecord(schema) || schema["type"] !== "object" || !isRecord(schema["properties"])) {
    throw invalid(`${path} must have the type "object", and properties`);
  }
  const fields = Object.entries(schema["properties"]);
  if (fields.length > MAX_FIELDS) throw invalid(`${path} has more than ${MAX_FIELDS} properties`);
  const properties = fields.map(([name, field]): [string, FormField] => {
    if (name === "" || name === "__proto__" || name.length > MAX_NAME) {
      throw invalid(`${path}: a property has an invalid name`);
    }
    return [name, readField(field, `${path}.properties.${name}`)];
  });
  const required = schema["required"] ?? [];
  const names = new Set(properties.map(([name]) => name));
  if (!isTexts(required) || !required.every((name) => names.has(name))) {
    throw invalid(`${path}.required must contain names of properties`);
  }
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required: [...new Set(required)] }),
  };
}

function readField(field: unknown, path: string): FormField {
  if (!isRecord(field)) throw invalid(`${path} must be an object`);
  const labels: Labels = {
    ...text(field, "title", path),
    ...text(field, "description", path),
  };
  switch (field["type"]) {
    case "boolean":
      return { ...labels, type: "boolean", ...kept(field, "default", isBoolean) };
    case "number":
    case "integer":
      return {
        ...labels,
        type: field["type"],
        ...kept(field, "minimum", isNumber),
        ...kept(field, "maximum", isNumber),
        ...kept(field, "default", isNumber),
      };
    case "string":
      return { ...labels, ...readText(field, path) };
    case "array":
      return {
        ...labels,
        type: "array",
        items: readItems(field["items"], path),
        ...kept(field, "minItems", isCount),
        ...kept(field, "maxItems", isCount),
        ...kept(field, "default", isTexts),
      };
    default:
      throw invalid(
        `${path}.type must be string, number, integer, boolean, or array for a choice of several`,
      );
  }
}

function readText(field: Record<string, unknown>, path: string): FormField {
  const common = { type: "string" as const, ...kept(field, "default", isText) };
  if ("enum" in field) {
    const choices = { enum: readTexts(field["enum"], `${path}.enum`) };
    const { enumNames: names } = field;
    const isNamed = isTexts(names) && names.length === choices.enum.length;
    return { ...common, ...choices, ...(isNamed && { enumNames: names }) };
  }
  if ("oneOf" in field) return { ...common, oneOf: readTitled(field["oneOf"], `${path}.oneOf`) };
  const format = FORMATS.find((each) => each === field["format"]);
  return {
    ...common,
    ...kept(field, "minLength", isCount),
    ...kept(field, "maxLength", isCount),
    ...(format && { format }),
  };
}

function readItems(items: unknown, path: string): Extract<FormField, { type: "array" }>["items"] {
  if (isRecord(items) && "anyOf" in items)
    return { anyOf: readTitled(items["anyOf"], `${path}.items.anyOf`) };
  if (isRecord(items) && "enum" in items) {
    return { type: "string", enum: readTexts(items["enum"], `${path}.items.enum`) };
  }
  throw invalid(`${path}.items must list the choices, as "enum" or "anyOf"`);
}

function readTexts(texts: unknown, path: string): string[] {
  if (isTexts(texts) && texts.length > 0 && texts.length <= MAX_CHOICES) return [...texts];
  throw invalid(`${path} must be 1 to ${MAX_CHOICES} texts`);
}

function readTitled(choices: unknown, path: string): { const: string; title: string }[] {
  const isChoice = (each: unknown): each is { const: string; title: string } =>
    isRecord(each) && isText(each["const"]) && isText(each["title"]);
  if (Array.isArray(choices) && choices.length > 0 && choices.length <= MAX_CHOICES) {
    if (choices.every(isChoice)) return choices.map(({ const: value, title }) => ({ const: value, title }));
  }
  throw invalid(`${path} must be 1 to ${MAX_CHOICES} of {const, title}`);
}

const isText = (value: unknown): value is string => typeof value === "string";
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);
const isNumber = (value: unknown): value is number => Number.isFinite(value);
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const isBoolean = (value: unknown): value is boolean => typeof value === "boolean";

/** Returns a keyword if it is valid. */
function kept<K extends string, T>(
  field: Record<string, unknown>,
  key: K,
  is: (value: unknown) => value is T,
): { [key in K]?: T } {
  const value = Object.hasOwn(field, key) ? field[key] : undefined;
  return (is(value) ? { [key]: value } : {}) as { [key in K]?: T };
}

function text<K extends "title" | "description">(
  field: Record<string, unknown>,
  key: K,
  path: string,
): { [key in K]?: string } {
  const label = kept(field, key, isText);
  if ((label[key]?.length ?? 0) > MAX_LABEL) {
    throw invalid(`${path}.${key} is longer than ${MAX_LABEL} characters`);
  }
  return label;
}
