/**
 * Arguments for a call without a form.
 *
 * @module
 */
import type { RJSFSchema } from "@rjsf/utils";
import { recordOf, type Tool } from "@vitrine/protocol";
import { checkValue } from "./check-value.js";

/**
 * Arguments with which a tool can be called directly, with the defaults of its own fields; undefined if the
 * user must fill something in.
 */
export function directInput({ inputSchema }: Tool): Record<string, unknown> | undefined {
  const schema = inputSchema as RJSFSchema;
  const fields = Object.entries(recordOf(schema.properties));
  const input = Object.fromEntries(
    fields.flatMap(([name, field]) => {
      const value = recordOf(field)["default"];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  return checkValue(schema, input).length === 0 ? input : undefined;
}
