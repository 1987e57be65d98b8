/**
 * Validates values against the part of JSON Schema that our own schemas use. Schemas of others need a full
 * validator.
 *
 * @module
 */
import { sameJson } from "./same-json.js";
import { isObject } from "./schema.js";

/** The supported part of JSON Schema 2020-12. Other keywords are not checked. */
export interface JsonSchema {
  readonly type?: "object" | "array" | "string" | "number" | "integer" | "boolean" | "null" | undefined;
  readonly description?: string | undefined;
  readonly default?: unknown;
  readonly enum?: readonly unknown[] | undefined;
  readonly properties?: Readonly<Record<string, JsonSchema>> | undefined;
  readonly required?: readonly string[] | undefined;
  /** `false` forbids other names. A schema applies to the values under them. */
  readonly additionalProperties?: boolean | JsonSchema | undefined;
  readonly items?: JsonSchema | undefined;
  readonly minItems?: number | undefined;
  readonly maxItems?: number | undefined;
  readonly uniqueItems?: boolean | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly pattern?: string | undefined;
  /** At least one must match. */
  readonly anyOf?: readonly JsonSchema[] | undefined;
}

/** Maximum characters of an unknown name in a message. */
const MAX_NAME = 50;
/** Maximum number of allowed values in a message. */
const MAX_CHOICES = 20;

/**
 * A message about the first problem of a value; undefined if it is valid. A member that is `undefined` counts
 * as absent.
 *
 * @example
 * ```ts source="./protocol.examples.ts#jsonSchema"
 * const schema: JsonSchema = {
 *   type: "object",
 *   properties: { pageSize: { type: "integer", minimum: 1 } },
 *   additionalProperties: false,
 * };
 * const problem = jsonSchemaProblem(value, schema, "config"); // "config.pageSize must be 1 or more"
 * ```
 *
 * @param at what to call the value
 */
export function jsonSchemaProblem(value: unknown, schema: JsonSchema, at: string): string | undefined {
  if (schema.type !== undefined && !isA(value, schema.type)) return `${at} must be ${NAMES[schema.type]}`;
  if (schema.enum && !schema.enum.some((each) => each === value || sameJson(each, value)))
    return `${at} must be one of ${choicesOf(schema.enum)}`;
  const problems = schema.anyOf?.map((each) => jsonSchemaProblem(value, each, at));
  if (problems && !problems.includes(undefined)) return problems.join(", or ");
  if (typeof value === "string") return problemOfString(value, schema, at);
  if (typeof value === "number") return problemOfNumber(value, schema, at);
  if (Array.isArray(value)) return problemOfArray(value, schema, at);
  return isObject(value) ? problemOfObject(value, schema, at) : undefined;
}

function problemOfString(value: string, schema: JsonSchema, at: string): string | undefined {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern } = schema;
  // JSON Schema counts code points. A code point has one or two characters.
  const isShort = value.length < minLength || (value.length < 2 * minLength && [...value].length < minLength);
  if (isShort)
    return minLength === 1 ? `${at} must not be empty` : `${at} must have ${minLength} or more characters`;
  const isLong = value.length > 2 * maxLength || (value.length > maxLength && [...value].length > maxLength);
  if (isLong) return `${at} must have ${maxLength} or fewer characters`;
  const isMatch = pattern === undefined || new RegExp(pattern, "u").test(value);
  return isMatch ? undefined : `${at} must match ${pattern}`;
}

function problemOfNumber(value: number, { minimum, maximum }: JsonSchema, at: string): string | undefined {
  if (minimum !== undefined && value < minimum) return `${at} must be ${minimum} or more`;
  return maximum !== undefined && value > maximum ? `${at} must be ${maximum} or less` : undefined;
}

function problemOfArray(value: readonly unknown[], schema: JsonSchema, at: string): string | undefined {
  const { items, minItems = 0, maxItems = Number.POSITIVE_INFINITY, uniqueItems } = schema;
  if (value.length < minItems) return `${at} must have ${minItems} or more`;
  if (value.length > maxItems) return `${at} must have ${maxItems} or fewer`;
  const isSame = (index: number): boolean =>
    value.slice(0, index).some((each) => each === value[index] || sameJson(each, value[index]));
  if (uniqueItems && value.some((_each, index) => isSame(index))) return `${at} must not repeat a value`;
  return items && first(value, (each, index) => jsonSchemaProblem(each, items, `${at}[${index}]`));
}

function problemOfObject(value: Record<string, unknown>, schema: JsonSchema, at: string): string | undefined {
  const { properties = {}, required = [], additionalProperties: more = true } = schema;
  const missing = required.find((name) => !Object.hasOwn(value, name) || value[name] === undefined);
  if (missing !== undefined) return `${at}.${missing} is missing`;
  return first(Object.entries(value), ([name, each]) => {
    if (each === undefined) return undefined;
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const expected = known ?? (isObject(more) ? more : undefined);
    if (expected) return jsonSchemaProblem(each, expected, `${at}.${name}`);
    const shown = name.slice(0, MAX_NAME);
    return more
      ? undefined
      : `${at} has an unknown field ${JSON.stringify(shown)}${hintOf(shown, Object.keys(properties))}`;
  });
}

function first<T>(
  values: readonly T[],
  problem: (value: T, index: number) => string | undefined,
): string | undefined {
  for (const [index, value] of values.entries()) {
    const found = problem(value, index);
    if (found !== undefined) return found;
  }
  return undefined;
}

const choicesOf = (values: readonly unknown[]): string =>
  values
    .slice(0, MAX_CHOICES)
    .map((each) => JSON.stringify(each))
    .join(", ") + (values.length > MAX_CHOICES ? ", …" : "");

/** Suggests a name: most unknown names are typing mistakes. */
function hintOf(name: string, names: readonly string[]): string {
  if (names.length === 0) return "";
  const plain = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, "");
  const near = names.find((each) => plain(each) === plain(name) || isNear(plain(each), plain(name)));
  return near === undefined ? `; use one of ${names.join(", ")}` : ` (did you mean ${near}?)`;
}

/** Whether the names differ in one letter, or only in the order of letters. */
function isNear(one: string, other: string): boolean {
  if ([...one].sort().join("") === [...other].sort().join("")) return true;
  if (Math.abs(one.length - other.length) > 1) return false;
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  const [a, b] = [one.slice(at), other.slice(at)];
  return a.slice(1) === b.slice(1) || a.slice(1) === b || a === b.slice(1);
}

const NAMES = {
  object: "an object",
  array: "an array",
  string: "a string",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  null: "null",
};

function isA(value: unknown, type: NonNullable<JsonSchema["type"]>): boolean {
  switch (type) {
    case "object":
      return isObject(value);
    case "array":
      return Array.isArray(value);
    case "null":
      return value === null;
    case "number":
      return Number.isFinite(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}
