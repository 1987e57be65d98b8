/**
 * `@vitrine/gateway`: the process between browsers and MCP servers.
 *
 * @module
 */
export type * from "./config/config.js";
export * from "./errors.js";
export type * from "./isolation/isolation.js";
export type * from "./servers/server.js";
export type * from "./store/store.js";
