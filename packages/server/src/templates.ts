/**
 * Pages that are there already. A door of their own: a server that has its own pages need not load these.
 *
 * @module
 */
export * from "./templates/index.js";
