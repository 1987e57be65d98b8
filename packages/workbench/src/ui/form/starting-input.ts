/**
 * What a tool is called with before anybody has said anything.
 *
 * @module
 */
import { createSchemaUtils, type RJSFSchema } from "@rjsf/utils";
import type { Tool } from "@vitrine/protocol";
import { checkValue, validator } from "./validator.js";

type Arguments = Record<string, unknown>;

/** Optional objects and lists that nobody filled in are not sent. */
export const DEFAULTS = {
  emptyObjectFields: "skipEmptyDefaults",
  arrayMinItems: { populate: "requiredOnly" },
} as const;

/** What JSON keeps: fields that nobody filled in are not there. */
export const plain = (value: unknown): Arguments => JSON.parse(JSON.stringify(value ?? {})) as Arguments;

/** What was sent last, or nothing, with the defaults of the schema. */
export function startOf(schema: RJSFSchema, last: Arguments | undefined): Arguments {
  try {
    return plain(createSchemaUtils(validator, schema, DEFAULTS).getDefaultFormState(schema, last ?? {}));
  } catch {
    // A schema that leads nowhere; what is wrong with it is said when it is used.
    return last ?? {};
  }
}

/** Arguments with which a tool can be called as it is; undefined when somebody must fill something in. */
export function startingInput(tool: Tool): Arguments | undefined {
  const schema = tool.inputSchema as RJSFSchema;
  const input = startOf(schema, undefined);
  return checkValue(schema, input).length === 0 ? input : undefined;
}
