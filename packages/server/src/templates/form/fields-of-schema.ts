/**
 * Derives fields from the input schema of a tool.
 *
 * @module
 */
import type { PageField } from "../page/fields.js";

/** The relevant part of a schema. It is external input, so every field is optional. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly items?: Schema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly maxLength?: number;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** The fields of a tool's arguments. */
export function fieldsOf({ properties = {}, required = [] }: Schema = {}): PageField[] {
  return Object.entries(properties).map(([name, schema]) => {
    const { title, description, default: given, ...rest } = schema;
    const kind = kindOf(rest);
    return {
      name,
      label: title ?? labelOf(name),
      // A field with a default is optional, and so is a checkbox, which always has a value.
      required: required.includes(name) && given === undefined && kind.type !== "checkbox",
      ...kind,
      ...(description && { description }),
      ...(given !== undefined && { default: given as string }),
    };
  });
}

/** Turns `firstName` and `first_name` into “First name”. */
function labelOf(name: string): string {
  const words = name.replace(/([a-z\d])([A-Z])/g, "$1 $2").replace(/[_-]+/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1).toLowerCase();
}

function kindOf(schema: Schema): Omit<PageField, "name"> {
  const cases = (schema.anyOf ?? schema.oneOf ?? []).filter(({ type }) => type !== "null");
  const [only] = cases;
  if (only && cases.length === 1) return kindOf(only);
  const constants = cases.filter((each) => each.const !== undefined);
  if (only && constants.length === cases.length) {
    return {
      type: "select",
      options: constants.map((each) => ({
        value: each.const as string,
        label: each.title ?? `${each.const}`,
      })),
    };
  }
  if (schema.enum)
    return { type: "select", options: schema.enum.filter((each) => each !== null) as string[] };
  const type = Array.isArray(schema.type) ? schema.type.find((each) => each !== "null") : schema.type;
  if (type === "boolean") return { type: "checkbox" };
  if (type === "integer" || type === "number") return numberOf(schema, type === "integer");
  if (type === "array" && schema.items?.type === "string" && !schema.items.enum)
    return { type: "lines", placeholder: "One per line" };
  if (type !== "string") return { type: "json", placeholder: "JSON" };
  const { format = "", maxLength = 0 } = schema;
  if (format === "date" || format === "email" || format === "password") return { type: format };
  return { type: maxLength > 200 ? "textarea" : "text" };
}

function numberOf({ minimum, maximum, exclusiveMinimum }: Schema, isWhole: boolean): Omit<PageField, "name"> {
  const least = minimum ?? (isWhole && exclusiveMinimum !== undefined ? exclusiveMinimum + 1 : undefined);
  return { type: "number", isWhole, minimum: least, maximum };
}
