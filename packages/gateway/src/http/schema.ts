/**
 * Schemas of the routes: they validate requests, and are part of the OpenAPI document.
 *
 * @module
 */

import type { JsonSchema } from "@vitrine/protocol";

/** A schema of OpenAPI 3.1. */
export interface OpenApiSchema extends JsonSchema {
  readonly $ref?: string | undefined;
}

/** The schema of an object with known properties. */
export interface ObjectSchema extends OpenApiSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, OpenApiSchema>>;
}

/**
 * Converts the values of a query according to their schemas. An invalid value stays a string, and is rejected
 * later.
 */
export function readQuery(query: URLSearchParams, schema: ObjectSchema): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, text] of query) {
    const type = Object.hasOwn(schema.properties, name) ? schema.properties[name]?.type : undefined;
    // A duplicate parameter is ambiguous, and no schema allows null.
    if (Object.hasOwn(values, name)) values[name] = null;
    else if (type === "integer") values[name] = /^\d{1,16}$/.test(text) ? Number(text) : text;
    else if (type === "boolean") values[name] = text === "true" ? true : text === "false" ? false : text;
    else values[name] = text;
  }
  return values;
}
