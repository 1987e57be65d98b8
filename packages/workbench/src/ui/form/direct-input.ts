/**
 * Arguments for a call without a form.
 *
 * @module
 */
import type { RJSFSchema } from "@rjsf/utils";
import { recordOf, type Tool } from "@vitrine/protocol";

/** Keywords that restrict no object whose required fields have their own defaults. */
const PLAIN =
  /^(type|properties|required|additionalProperties|title|description|\$schema|\$id|\$comment|\$defs|definitions|examples)$/;

/**
 * Arguments with which a tool can be called directly, with the defaults of its own fields; undefined if the
 * user must fill something in, or if that takes the validator to know: it is loaded with the first form.
 */
export function directInput({ inputSchema }: Tool): Record<string, unknown> | undefined {
  if (!Object.keys(inputSchema).every((keyword) => PLAIN.test(keyword))) return undefined;
  const { properties, required = [] } = inputSchema as RJSFSchema;
  const input = Object.fromEntries(
    Object.entries(recordOf(properties)).flatMap(([name, field]) => {
      const value = recordOf(field)["default"];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  return Array.isArray(required) && required.every((name) => Object.hasOwn(input, name)) ? input : undefined;
}
