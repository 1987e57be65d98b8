/**
 * Sanitizes the schemas of tools, which come from servers.
 *
 * @module
 */

/** Keywords whose values are strings, schemas, lists or maps of schemas, and lists. */
const TEXTS = new Set(["title", "description", "format", "pattern", "$ref", "$id", "$schema", "$anchor"]);
const SCHEMAS = new Set([
  "items",
  "additionalItems",
  "additionalProperties",
  "unevaluatedItems",
  "unevaluatedProperties",
  "propertyNames",
  "contains",
  "not",
  "if",
  "then",
  "else",
]);
const LISTS_OF_SCHEMAS = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const MAPS_OF_SCHEMAS = new Set([
  "properties",
  "patternProperties",
  "dependentSchemas",
  "$defs",
  "definitions",
]);
const LISTS = new Set(["required", "enum", "examples"]);

type Schema = Record<string, unknown>;

const isObject = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Drops keywords with invalid values, so that a form can be built from the schema. Anything that is not a
 * schema becomes an empty one.
 */
export function readSchema(value: unknown): Schema {
  try {
    return isObject(value) ? readObject(value) : {};
  } catch {
    // Nested too deeply for the browser.
    return {};
  }
}

function readObject(schema: Schema): Schema {
  const read: Schema = {};
  for (const [key, value] of Object.entries(schema)) {
    const meant = readKeyword(key, value);
    if (meant !== undefined) Object.defineProperty(read, key, { value: meant, ...PLAIN });
  }
  return read;
}

/** Defines a property with any name, including `__proto__`. */
const PLAIN = { enumerable: true, configurable: true, writable: true };

function readKeyword(key: string, value: unknown): unknown {
  if (TEXTS.has(key)) return typeof value === "string" ? value : undefined;
  if (LISTS.has(key)) return Array.isArray(value) ? value : undefined;
  if (key === "type") return isType(value) ? value : undefined;
  // In older drafts `items` may be a list.
  if (LISTS_OF_SCHEMAS.has(key) || (key === "items" && Array.isArray(value))) {
    const schemas = Array.isArray(value) ? value.filter(isSchema) : [];
    return schemas.length > 0 ? schemas.map(readPart) : undefined;
  }
  if (SCHEMAS.has(key)) return isSchema(value) ? readPart(value) : undefined;
  if (!MAPS_OF_SCHEMAS.has(key)) return value;
  if (!isObject(value)) return undefined;
  const read: Schema = {};
  for (const [name, part] of Object.entries(value))
    if (isSchema(part)) Object.defineProperty(read, name, { value: readPart(part), ...PLAIN });
  return read;
}

const isType = (value: unknown): boolean =>
  typeof value === "string" || (Array.isArray(value) && value.every((each) => typeof each === "string"));

const isSchema = (value: unknown): value is Schema | boolean => typeof value === "boolean" || isObject(value);

const readPart = (value: Schema | boolean): Schema | boolean =>
  typeof value === "boolean" ? value : readObject(value);
