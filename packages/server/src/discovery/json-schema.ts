/**
 * Turns an author's JSON Schema into the schema of a tool.
 *
 * @module
 */
import { fromJsonSchema } from "@modelcontextprotocol/server";
import type { Schema } from "../schemas.js";

/** @throws if it is not a JSON Schema */
export function schemaFromJson(json: object): Schema {
  const schema = fromJsonSchema(json as Parameters<typeof fromJsonSchema>[0]);
  const standard = schema["~standard"];
  return {
    "~standard": {
      ...standard,
      validate: async (value) => {
        const checked = await standard.validate(value);
        return checked.issues ? { issues: checked.issues.map(({ message }) => withPath(message)) } : checked;
      },
    },
  };
}

/**
 * The SDK's validator puts the path into the message (`data/days/0 must be number`). A form needs it
 * separately.
 */
function withPath(message: string): { message: string; path: string[] } {
  const [, pointer = "", rest = message] = /^data((?:\/\S*)?) (.*)$/s.exec(message) ?? [];
  const path = pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  const missing = /^must have required property '(.*)'$/.exec(rest)?.[1];
  return missing === undefined
    ? { message: rest, path }
    : { message: "is missing", path: [...path, missing] };
}
