/**
 * The subset of JSON Schema that the routes need. Requests are validated with the schemas of the OpenAPI
 * document.
 *
 * @module
 */

/** A schema of OpenAPI 3.1. */
export interface Schema {
  readonly type?: "object" | "array" | "string" | "integer" | "number" | "boolean" | undefined;
  readonly description?: string | undefined;
  readonly properties?: Readonly<Record<string, Schema>> | undefined;
  readonly required?: readonly string[] | undefined;
  readonly additionalProperties?: boolean | undefined;
  readonly items?: Schema | undefined;
  readonly enum?: readonly string[] | undefined;
  readonly pattern?: string | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly $ref?: string | undefined;
}

/** The schema of an object with known properties. */
export interface ObjectSchema extends Schema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, Schema>>;
}

/** Describes what is wrong with a value; undefined if it is valid. */
export function problemOf(value: unknown, schema: Schema, name: string): string | undefined {
  switch (schema.type) {
    case "object":
      return isObject(value) ? problemOfObject(value, schema, name) : `${name} must be an object`;
    case "string":
      return typeof value === "string" ? problemOfText(value, schema, name) : `${name} must be a string`;
    case "boolean":
      return typeof value === "boolean" ? undefined : `${name} must be true or false`;
    case "integer": {
      const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = schema;
      return Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum
        ? undefined
        : `${name} must be a whole number from ${minimum} to ${maximum}`;
    }
    default:
      return undefined;
  }
}

function problemOfObject(value: object, schema: Schema, name: string): string | undefined {
  const { properties = {}, required = [], additionalProperties } = schema;
  const missing = required.find((key) => !Object.hasOwn(value, key));
  if (missing !== undefined) return `${name}.${missing} is missing`;
  for (const [key, part] of Object.entries(value)) {
    const known = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (!known && additionalProperties === false)
      return `${name} has an unknown member ${JSON.stringify(key.slice(0, 50))}`;
    const problem = known && problemOf(part, known, `${name}.${key}`);
    if (problem) return problem;
  }
  return undefined;
}

function problemOfText(value: string, schema: Schema, name: string): string | undefined {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern } = schema;
  if (value.length < minLength || value.length > maxLength) {
    return `${name} must have ${minLength} to ${maxLength} characters`;
  }
  if (schema.enum && !schema.enum.includes(value)) return `${name} must be one of ${schema.enum.join(", ")}`;
  if (pattern && !new RegExp(pattern, "u").test(value)) return `${name} does not match ${pattern}`;
  return undefined;
}

/** Whether it is a JSON object, not an array. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Converts the values of a query according to their schemas. An invalid value stays a string, and is rejected
 * later.
 */
export function readQuery(query: URLSearchParams, schema: ObjectSchema): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, text] of query) {
    const type = Object.hasOwn(schema.properties, name) ? schema.properties[name]?.type : undefined;
    // A duplicate parameter is ambiguous.
    if (Object.hasOwn(values, name)) values[name] = undefined;
    else if (type === "integer") values[name] = /^\d{1,16}$/.test(text) ? Number(text) : text;
    else if (type === "boolean") values[name] = text === "true" ? true : text === "false" ? false : text;
    else values[name] = text;
  }
  return values;
}
