/**
 * Servers that are made of folders. A door of their own: a server that is written in code need not load it.
 *
 * @module
 */
export * from "./discovery/index.js";
