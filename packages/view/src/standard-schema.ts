/**
 * The part of Standard Schema (https://standardschema.dev) that we use: validation, types, and JSON Schema
 * where the library offers it. Zod 4, ArkType and Valibot all fit.
 *
 * @module
 */
import { INVALID_PARAMS, VitrineError } from "@vitrine/protocol";

type Json = Record<string, unknown>;

/** A schema of any library that implements Standard Schema. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly validate: (value: unknown) => Validated<Output> | Promise<Validated<Output>>;
    readonly jsonSchema?: {
      readonly input: (options: { target: "draft-2020-12" }) => Json;
      readonly output: (options: { target: "draft-2020-12" }) => Json;
    };
  };
}

type Validated<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path?: unknown }[] };

/** The type of a value that passed a schema. */
export type InferOutput<S> = S extends StandardSchema<infer _Input, infer Output> ? Output : never;

/**
 * Converts a schema to JSON Schema.
 *
 * @throws {VitrineError} `unsupported` if the library offers no JSON Schema
 */
export function toJsonSchema(schema: StandardSchema, direction: "input" | "output"): Json {
  const { jsonSchema, vendor } = schema["~standard"];
  if (!jsonSchema) throw new VitrineError("unsupported", `${vendor} schemas have no JSON Schema`);
  return jsonSchema[direction]({ target: "draft-2020-12" });
}

/**
 * Validates a value and returns the schema's output.
 *
 * @throws {VitrineError} with JSON-RPC's code for invalid params, or the given code, and the issues as `data`
 */
export async function validate<Output>(
  schema: StandardSchema<unknown, Output>,
  value: unknown,
  what: string,
  code: VitrineError["code"] = INVALID_PARAMS,
): Promise<Output> {
  const result = await schema["~standard"].validate(value);
  if (!result.issues) return result.value;
  const reasons = result.issues.map(({ message }) => message).join("; ");
  throw new VitrineError(code, `${what}: ${reasons}`, { data: result.issues });
}
