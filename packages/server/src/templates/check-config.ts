/**
 * Validates values against the part of JSON Schema that our own schemas use. The message starts with the path
 * of the problem.
 *
 * @module
 */

/** The supported part of JSON Schema. Absent keywords are not checked. */
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
  readonly minLength?: number | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly pattern?: string | undefined;
  /** At least one must match. */
  readonly anyOf?: readonly JsonSchema[] | undefined;
}

/** A message about the first problem of a value; undefined if it is valid. */
export function problemOf(value: unknown, schema: JsonSchema, at: string): string | undefined {
  if (schema.anyOf) {
    const problems = schema.anyOf.map((each) => problemOf(value, each, at));
    return problems.includes(undefined) ? undefined : problems.join(", or ");
  }
  if (schema.type !== undefined && !isA(value, schema.type)) return `${at} must be ${ARTICLES[schema.type]}`;
  if (schema.enum && !schema.enum.includes(value)) {
    return `${at} must be one of ${schema.enum.map((each) => JSON.stringify(each)).join(", ")}`;
  }
  if (typeof value === "string") return problemOfText(value, schema, at);
  if (typeof value === "number") return problemOfNumber(value, schema, at);
  if (Array.isArray(value)) return problemOfList(value, schema, at);
  if (typeof value === "object" && value !== null)
    return problemOfRecord(value as Record<string, unknown>, schema, at);
  return undefined;
}

function problemOfText(
  value: string,
  { minLength = 0, pattern }: JsonSchema,
  at: string,
): string | undefined {
  if (value.length < minLength) return `${at} must not be empty`;
  return pattern !== undefined && !new RegExp(pattern, "u").test(value)
    ? `${at} must match ${pattern}`
    : undefined;
}

function problemOfNumber(value: number, { minimum, maximum }: JsonSchema, at: string): string | undefined {
  if (minimum !== undefined && value < minimum) return `${at} must be ${minimum} or more`;
  return maximum !== undefined && value > maximum ? `${at} must be ${maximum} or less` : undefined;
}

function problemOfList(
  value: readonly unknown[],
  { items, minItems = 0 }: JsonSchema,
  at: string,
): string | undefined {
  if (value.length < minItems) return `${at} must have ${minItems} or more`;
  return items && firstOf(value.entries(), ([index, each]) => problemOf(each, items, `${at}[${index}]`));
}

function problemOfRecord(value: Record<string, unknown>, schema: JsonSchema, at: string): string | undefined {
  const { properties = {}, required = [], additionalProperties: more = true } = schema;
  const missing = required.find((name) => value[name] === undefined);
  if (missing !== undefined) return `${at}.${missing} is missing`;
  return firstOf(Object.entries(value), ([name, each]) => {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (known) return each === undefined ? undefined : problemOf(each, known, `${at}.${name}`);
    if (typeof more === "object") return problemOf(each, more, `${at}.${name}`);
    return more
      ? undefined
      : `${at} has an unknown field ${JSON.stringify(name)}${hintOf(name, Object.keys(properties))}`;
  });
}

function firstOf<T>(values: Iterable<T>, problem: (value: T) => string | undefined): string | undefined {
  for (const value of values) {
    const found = problem(value);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Suggests a name: most unknown names are typing mistakes. */
function hintOf(name: string, names: readonly string[]): string {
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

const ARTICLES = {
  object: "an object",
  array: "a list",
  string: "a text",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  null: "null",
};

function isA(value: unknown, type: NonNullable<JsonSchema["type"]>): boolean {
  if (type === "array") return Array.isArray(value);
  if (type === "null") return value === null;
  if (type === "integer") return Number.isInteger(value);
  if (type === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  return typeof value === type;
}
