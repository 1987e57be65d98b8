/**
 * Schemas of any library that implements Standard Schema and Standard JSON Schema, and their types.
 *
 * @module
 */
import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";

/**
 * A schema of Zod 4.2, ArkType, Valibot with its converter, or another library that implements Standard
 * Schema with JSON Schema.
 */
export type Schema = StandardSchemaWithJSON;

/**
 * The problem with a tool's schema, if there is one. A schema must validate values and convert to JSON Schema
 * for clients; not every library does both.
 *
 * @param field `input` or `output`
 */
export function problemOfSchema(schema: unknown, field: string): string | undefined {
  if (schema === undefined) return undefined;
  const { validate, jsonSchema } = Object(Object(schema)["~standard"]);
  if (typeof validate !== "function") return `${field} must be a schema of Zod, ArkType, Valibot or the like`;
  const { input, output } = Object(jsonSchema);
  if (typeof input === "function" && typeof output === "function") return undefined;
  return `${field} cannot be shown to clients: its schema has no JSON Schema (Standard JSON Schema). ${INSTEAD}`;
}

const INSTEAD =
  "Use Zod 4.2 or later, ArkType, Valibot with toStandardJsonSchema, or JSON Schema with fromJsonSchema of @modelcontextprotocol/server";

/**
 * The part of a schema that JSON Schema cannot express, such as a date: it would break the tools list for all
 * clients. Checked after all schemas are defined, because a schema may refer to a later one.
 */
export function problemOfJson(schema: Schema | undefined, field: "input" | "output"): string | undefined {
  if (!schema) return undefined;
  try {
    const { type = "object" } = jsonSchemaOf(schema, field) as { type?: unknown };
    const isFine = field === "output" || type === "object";
    return isFine ? undefined : `input must be an object, not ${JSON.stringify(type)}`;
  } catch (error) {
    return `${field} cannot be shown to clients: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** A schema in the form that clients see. */
export const jsonSchemaOf = (schema: Schema, field: "input" | "output"): object =>
  shownOf(schema)["~standard"].jsonSchema[field]({ target: "draft-2020-12" });

/** By schema, not by server: for stateless clients, each request gets its own server. */
const shown = new WeakMap<Schema, Schema>();

/**
 * A schema as clients see it, which accepts everything. Input is checked by our own code, because the SDK
 * reports problems in one text and a form needs them by field. Output was checked before the SDK gets it.
 */
export function shownOf(schema: Schema): Schema {
  const known = shown.get(schema);
  if (known) return known;
  const { version, vendor, types, jsonSchema } = schema["~standard"];
  const made: Schema = {
    "~standard": {
      version,
      vendor,
      types,
      validate: letThrough,
      jsonSchema: { input: convertedOnce(jsonSchema, "input"), output: convertedOnce(jsonSchema, "output") },
    },
  };
  shown.set(schema, made);
  return made;
}

const letThrough = (value: unknown): { value: unknown } => ({ value });

type Converter = Schema["~standard"]["jsonSchema"];

/** Converts once. The SDK converts every schema for each `tools/list`: a third of the response time. */
function convertedOnce(converter: Converter, field: keyof Converter): Converter["input"] {
  let made: { target: string; json: Record<string, unknown> } | undefined;
  return (options) => {
    const { target, libraryOptions } = options;
    if (libraryOptions) return converter[field](options);
    if (made?.target !== target) made = { target, json: converter[field](options) };
    return { ...made.json };
  };
}

/** Input type of a schema: before defaults are filled in. */
export type Given<S> = S extends Schema ? StandardSchemaWithJSON.InferInput<S> : Record<string, never>;

/** Output type of a schema: with defaults filled in. */
export type Checked<S> = S extends Schema ? StandardSchemaWithJSON.InferOutput<S> : Record<string, never>;

/** A value of which any part may be missing. */
export type DeepPartial<T> = T extends readonly (infer Item)[]
  ? DeepPartial<Item>[]
  : T extends object
    ? { [Key in keyof T]?: DeepPartial<T[Key]> | undefined }
    : T;
