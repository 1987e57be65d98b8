/**
 * `@vitrine/host`: the host end of an MCP App.
 *
 * @module
 */
export * from "./guard/link.js";
export * from "./upstream.js";
