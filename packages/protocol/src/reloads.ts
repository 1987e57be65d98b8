/**
 * What a server and whoever started it agree on while somebody writes the server: which files it follows itself.
 *
 * @module
 */
import { isObject } from "./schema.js";

/** The variable of a program's environment that asks it to follow its own files: `1`. */
export const RELOADS_VARIABLE = "VITRINE_RELOADS";

/** The experimental capability of a server that does, with `{ paths }`. */
export const RELOADS_KEY = "vitrine/reloads";

/**
 * The files and folders that a server follows itself: when they change it tells its clients, and need not be started again.
 * `*` in a path stands for any one name.
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
