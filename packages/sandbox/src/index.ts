/**
 * `@vitrine/sandbox`: the origin that views run on. `@vitrine/sandbox/node` is the same as a Node server.
 *
 * @module
 */
export type { Origins, Role } from "./origins.js";
export * from "./records.js";
export * from "./sandbox.js";
