/**
 * Agreement between a server under development and the program that started it: which files the server
 * watches itself.
 *
 * @module
 */
import { isObject } from "./schema.js";

/** Environment variable that asks a server to watch its own files: `1`. */
export const RELOADS_VARIABLE = "VITRINE_RELOADS";

/** The experimental capability of a server that does so, with `{ paths }`. */
export const RELOADS_KEY = "vitrine/reloads";

/**
 * Returns the files and folders that a server watches itself. When they change, it notifies its clients and
 * needs no restart. `*` in a path stands for any one name.
 *
 * @example
 * ```ts source="./protocol.examples.ts#followedPaths"
 * const capabilities = { experimental: { [RELOADS_KEY]: { paths: ["/home/me/shop/cart.html"] } } };
 * const paths = followedPaths(capabilities);
 * // ["/home/me/shop/cart.html"]
 * ```
 */
export function followedPaths(capabilities: unknown): string[] {
  const { experimental } = Object(capabilities);
  const said: unknown = isObject(experimental) ? experimental[RELOADS_KEY] : undefined;
  const paths: unknown = isObject(said) ? said["paths"] : undefined;
  return Array.isArray(paths) ? paths.filter((path) => typeof path === "string") : [];
}
