/**
 * Generates arguments for tools: from a schema's defaults and examples, else the smallest valid values.
 *
 * @module
 */

import { AjvJsonSchemaValidator } from "@modelcontextprotocol/server/validators/ajv";
import type { Tool } from "@vitrine/protocol";
import { recordOf } from "@vitrine/protocol";

/** Maximum depth of a schema: a recursive one has no end. */
const DEEPEST = 8;
/** Maximum length of a generated array or string. */
const LONGEST = 1000;

/** The problem with arguments; undefined if they are valid, or the schema cannot be checked. */
export function problemWith(
  { inputSchema }: { readonly inputSchema?: unknown },
  input: Record<string, unknown>,
): string | undefined {
  try {
    // Schemas are compiled once and cached.
    const result = new AjvJsonSchemaValidator().getValidator(Object(inputSchema))(input);
    return result.valid ? undefined : result.errorMessage.replaceAll(/\bdata\b/g, "the arguments");
  } catch {
    return undefined;
  }
}

/** The defaults of the schema. */
export function defaultArguments({ inputSchema }: Tool): Record<string, unknown> {
  const { properties } = shapeOf(inputSchema);
  return Object.fromEntries(
    Object.entries(properties).flatMap(([key, schema]) =>
      "default" in Object(schema) ? [[key, Object(schema).default]] : [],
    ),
  );
}

/** Valid arguments: defaults, examples, and the smallest values for other required fields. */
export function smallestArguments({ inputSchema }: Tool): Record<string, unknown> {
  return Object(smallest(inputSchema, inputSchema, 0));
}

interface Shape {
  readonly properties: Record<string, unknown>;
  readonly required: readonly string[];
}

function shapeOf(schema: unknown): Shape {
  const { properties, required } = recordOf(schema);
  return {
    properties: Object(properties),
    required: Array.isArray(required) ? required.filter((each) => typeof each === "string") : [],
  };
}

/** A value for a schema. The check afterwards finds what it cannot generate. */
function smallest(schema: unknown, whole: unknown, depth: number): unknown {
  const own = recordOf(schema);
  if ("default" in own) return own["default"];
  const [example = own["example"]] = listOf(own["examples"]);
  if (example !== undefined) return example;
  if ("const" in own) return own["const"];
  const [member] = listOf(own["enum"]);
  if (member !== undefined) return member;
  if (depth > DEEPEST) return null;
  const next = (part: unknown): unknown => smallest(part, whole, depth + 1);
  if (typeof own["$ref"] === "string") return next(find(whole, own["$ref"]));
  for (const key of ["anyOf", "oneOf"]) {
    const [first] = listOf(own[key]);
    if (first !== undefined) return next(first);
  }
  const parts = listOf(own["allOf"]);
  if (parts.length > 0) {
    const made = [{ ...own, allOf: undefined }, ...parts].map(next);
    return made.every((each) => Object(each) === each) ? Object.assign({}, ...made) : made.find(Boolean);
  }
  return ofType(own, next);
}

function ofType(schema: Record<string, unknown>, next: (part: unknown) => unknown): unknown {
  const type = typeof schema["type"] === "string" ? schema["type"] : listOf(schema["type"])[0];
  switch (type) {
    case "string":
      return textOf(schema);
    case "number":
    case "integer":
      return numberOf(schema, type === "integer");
    case "boolean":
      return false;
    case "null":
      return null;
    case "array":
      return Array.from({ length: countOf(schema["minItems"]) }, () => next(schema["items"]));
    default: {
      const { properties, required } = shapeOf(schema);
      const isWanted = ([key, part]: [string, unknown]): boolean =>
        required.includes(key) || "default" in Object(part);
      return Object.fromEntries(
        Object.entries(properties)
          .filter(isWanted)
          .map(([key, part]) => [key, next(part)]),
      );
    }
  }
}

const FORMATS: Readonly<Record<string, string>> = {
  date: "2026-01-01",
  time: "12:00:00Z",
  "date-time": "2026-01-01T12:00:00Z",
  email: "someone@example.com",
  uri: "https://example.com/",
  url: "https://example.com/",
  uuid: "00000000-0000-4000-8000-000000000000",
};

function textOf({ format, minLength }: Record<string, unknown>): string {
  const known = typeof format === "string" && Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  return known ?? "x".repeat(countOf(minLength));
}

function numberOf(schema: Record<string, unknown>, isWhole: boolean): number {
  const [low, above, high, below, step] = [
    "minimum",
    "exclusiveMinimum",
    "maximum",
    "exclusiveMaximum",
    "multipleOf",
  ].map((key) => (typeof schema[key] === "number" ? schema[key] : undefined));
  const least = low ?? (above === undefined ? undefined : above + (isWhole ? 1 : 1e-6));
  const most = high ?? (below === undefined ? undefined : below - (isWhole ? 1 : 1e-6));
  const near = Math.min(Math.max(0, least ?? 0), most ?? Number.POSITIVE_INFINITY);
  return step ? Math.ceil(near / step) * step : isWhole ? Math.ceil(near) : near;
}

const countOf = (least: unknown): number =>
  typeof least === "number" ? Math.min(Math.max(0, least), LONGEST) : 0;

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Resolves a reference such as `#/$defs/Name`. */
function find(whole: unknown, ref: string): unknown {
  if (!ref.startsWith("#")) return undefined;
  const keys = ref
    .slice(1)
    .split("/")
    .filter(Boolean)
    .map((key) => decodeURIComponent(key).replaceAll("~1", "/").replaceAll("~0", "~"));
  return keys.reduce<unknown>(
    (at, key) => (Object.hasOwn(Object(at), key) ? Object(at)[key] : undefined),
    whole,
  );
}
