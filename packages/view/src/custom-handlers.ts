/**
 * Handlers for any method, in each form that the official SDK accepts: by name, by name with schemas, or by a
 * Zod schema of the whole message.
 *
 * @module
 */
import type { NotificationMethod, Params, RequestMethod } from "@vitrine/protocol";
import { type StandardSchema, validate } from "./standard-schema.js";

type Anything = (...args: unknown[]) => unknown;
/** A Zod schema of a whole message. Older code passes it in place of a method name. */
export interface MessageSchema extends StandardSchema {
  readonly shape: { readonly method: { readonly value: string } };
}
export type MethodName = string | MessageSchema;
/** A message of any method. Its params are typed if the protocol defines the method. */
export type Message<M extends string> = {
  method: M;
  params: M extends RequestMethod | NotificationMethod ? Params<M> : Record<string, unknown>;
};

/** The name of a method. */
export const nameOf = (method: MethodName): string =>
  typeof method === "string" ? method : method.shape.method.value;

/** Makes a handler of params: it checks them with the schema, or passes on the whole message without one. */
export const adapt = (method: MethodName, rest: unknown[]): Anything => {
  const name = nameOf(method);
  const handler = rest.at(-1) as Anything;
  const schema = rest.length > 1 ? (rest[0] as { params: StandardSchema }).params : method;
  return async (params, ...more) => {
    const given = rest.length > 1 ? params : { method: name, params };
    return handler(typeof schema === "string" ? given : await validate(schema, given, name), ...more);
  };
};
