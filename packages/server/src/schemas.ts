/**
 * Schemas of any library that follows Standard Schema and Standard JSON Schema, and the types that they stand for.
 *
 * @module
 */
import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";

/** A schema of Zod 4.2, ArkType, Valibot with its converter, or another library that follows Standard Schema with JSON Schema. */
export type Schema = StandardSchemaWithJSON;

/**
 * What is wrong with a tool's schema. It must check values and be shown to clients as JSON Schema: not every library does both.
 *
 * @param field `input` or `output`
 */
export function problemOfSchema(schema: unknown, field: string): string | undefined {
  if (schema === undefined) return undefined;
  const { validate, jsonSchema } = Object(Object(schema)["~standard"]);
  if (typeof validate !== "function") return `${field} must be a schema of Zod, ArkType, Valibot or the like`;
  const { input, output } = Object(jsonSchema);
  if (typeof input === "function" && typeof output === "function") return undefined;
  return `${field} is a schema that clients cannot be shown: it has no JSON Schema (Standard JSON Schema). ${INSTEAD}`;
}

const INSTEAD =
  "Use Zod 4.2 or later, ArkType, Valibot with toStandardJsonSchema, or JSON Schema with fromJsonSchema of @modelcontextprotocol/server";

/**
 * What of a schema JSON Schema cannot say, such as a date: one would keep clients from all tools. Asked when all of it is defined,
 * since a schema may name one that comes later.
 */
export function problemOfJson(schema: Schema | undefined, field: "input" | "output"): string | undefined {
  if (!schema) return undefined;
  try {
    const { type = "object" } = jsonSchemaOf(schema, field) as { type?: unknown };
    const isFine = field === "output" || type === "object";
    return isFine ? undefined : `input must be an object, and not ${JSON.stringify(type)}`;
  } catch (error) {
    return `${field} cannot be shown to clients: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** A schema as clients see it. */
export const jsonSchemaOf = (schema: Schema, field: "input" | "output"): object =>
  shownOf(schema)["~standard"].jsonSchema[field]({ target: "draft-2020-12" });

/** By schema, and not by server: for stateless clients a server is made for each request. */
const shown = new WeakMap<Schema, Schema>();

/**
 * A schema as clients see it, and that lets everything through. Input is checked here: the SDK would say in one text what is
 * wrong, and a form must know which field is meant. Output was checked before the SDK gets it.
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

/** The SDK converts every schema again each time that somebody asks for the tools: a third of the answer's time. */
function convertedOnce(converter: Converter, field: keyof Converter): Converter["input"] {
  let made: { target: string; json: Record<string, unknown> } | undefined;
  return (options) => {
    const { target, libraryOptions } = options;
    if (libraryOptions) return converter[field](options);
    if (made?.target !== target) made = { target, json: converter[field](options) };
    return { ...made.json };
  };
}

/** What somebody may write: before defaults are filled in. */
export type Given<S> = S extends Schema ? StandardSchemaWithJSON.InferInput<S> : Record<string, never>;

/** What a schema let through: with defaults filled in. */
export type Checked<S> = S extends Schema ? StandardSchemaWithJSON.InferOutput<S> : Record<string, never>;

/** A value of which any part may not be there yet. */
export type DeepPartial<T> = T extends readonly (infer Item)[]
  ? DeepPartial<Item>[]
  : T extends object
    ? { [Key in keyof T]?: DeepPartial<T[Key]> | undefined }
    : T;
