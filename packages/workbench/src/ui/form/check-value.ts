/**
 * Checks a value against a JSON schema. It is apart from the forms, which are loaded when one is shown.
 *
 * @module
 */
import type { Validator } from "@cfworker/json-schema";
import type { RJSFSchema } from "@rjsf/utils";
import { messageOf } from "../../model/messages/messages.js";
import { readErrors, type SchemaError, validatorOf } from "./schema-errors.js";

const roots = new WeakMap<object, Validator>();

/** The errors of a value; an invalid schema is an error too. */
export function checkValue(schema: RJSFSchema, value: unknown): SchemaError[] {
  let validator = roots.get(schema);
  try {
    if (!validator) roots.set(schema, (validator = validatorOf(schema)));
    return readErrors(validator.validate(jsonForm(value)).errors);
  } catch (error) {
    const message = `The tool's input schema cannot be read: ${messageOf(error)}`;
    return [{ path: [], keyword: "schema", message }];
  }
}

/** The JSON form of a value: `undefined` fields are absent. */
export const jsonForm = (value: unknown): unknown =>
  value === undefined ? {} : JSON.parse(JSON.stringify(value));
