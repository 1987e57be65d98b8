/**
 * Initial arguments of a tool.
 *
 * @module
 */
import { createSchemaUtils, type RJSFSchema } from "@rjsf/utils";
import { validator } from "./validator.js";

type Arguments = Record<string, unknown>;

/** Empty optional objects and lists are not sent. */
export const DEFAULTS = {
  emptyObjectFields: "skipEmptyDefaults",
  arrayMinItems: { populate: "requiredOnly" },
} as const;

/** The JSON form of a value: empty fields are absent. */
export const plain = (value: unknown): Arguments => JSON.parse(JSON.stringify(value ?? {})) as Arguments;

/** The last sent arguments, or none, with the schema's defaults. */
export function startOf(schema: RJSFSchema, last: Arguments | undefined): Arguments {
  try {
    return plain(createSchemaUtils(validator, schema, DEFAULTS).getDefaultFormState(schema, last ?? {}));
  } catch {
    // An invalid schema; it is reported when it is used.
    return last ?? {};
  }
}
