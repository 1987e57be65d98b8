/**
 * Converts the schemas of elicitations for the page's forms.
 *
 * @module
 */
import type { RJSFSchema } from "@rjsf/utils";
import { isFields } from "../../model/app/foreign.js";
import { readSchema } from "../../model/app/foreign-schema.js";

type Fields = Readonly<Record<string, unknown>>;

/** The schema of a question: choices have titles, and lists of them allow multiple selection. */
export function elicitationSchema(asked: unknown): RJSFSchema {
  const schema = readSchema(asked) as Fields;
  const properties = isFields(schema["properties"]) ? schema["properties"] : {};
  return {
    ...schema,
    type: "object",
    properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, fieldOf(each)])),
  } as RJSFSchema;
}

function fieldOf(field: unknown): unknown {
  if (!isFields(field)) return field;
  const { items } = field;
  // A list of choices, each at most once.
  if (field["type"] === "array" && isFields(items) && isChoice(items))
    return { ...field, uniqueItems: true, items: fieldOf(items) };
  const { enum: values, enumNames: names, ...rest } = field;
  if (!Array.isArray(values) || !Array.isArray(names)) return field;
  // The older form has titles beside the values.
  return { ...rest, oneOf: values.map((value, at) => ({ const: value, title: String(names[at] ?? value) })) };
}

const isChoice = (items: Fields): boolean =>
  [items["enum"], items["anyOf"], items["oneOf"]].some((choices) => Array.isArray(choices));
