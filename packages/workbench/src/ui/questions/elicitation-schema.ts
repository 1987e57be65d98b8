/**
 * What servers ask people for, in the words that the page's forms understand.
 *
 * @module
 */
import type { RJSFSchema } from "@rjsf/utils";
import { isFields } from "../../model/app/foreign.js";
import { readSchema } from "../../model/app/foreign-schema.js";

type Fields = Readonly<Record<string, unknown>>;

/** The schema of a question: choices have their names, and several can be made where a list of them is asked for. */
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
  // A list of what is listed: one that has each of them once, which is what people are asked for.
  if (field["type"] === "array" && isFields(items) && isChoice(items))
    return { ...field, uniqueItems: true, items: fieldOf(items) };
  const { enum: values, enumNames: names, ...rest } = field;
  if (!Array.isArray(values) || !Array.isArray(names)) return field;
  // Names beside the values are the older way.
  return { ...rest, oneOf: values.map((value, at) => ({ const: value, title: String(names[at] ?? value) })) };
}

const isChoice = (items: Fields): boolean =>
  [items["enum"], items["anyOf"], items["oneOf"]].some((choices) => Array.isArray(choices));
