/**
 * Servers made of folders. A separate entry point, so that other servers need not load it.
 *
 * @module
 */
export * from "./discovery/index.js";
