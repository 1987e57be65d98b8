/**
 * Types that schemas of any Standard Schema library stand for.
 *
 * @module
 */
import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";

/** A schema of Zod 4, ArkType, Valibot or any other library that follows Standard Schema with JSON Schema. */
export type Schema = StandardSchemaWithJSON;

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
