/**
 * Ready-made pages. A separate entry point, so that servers with their own pages need not load them.
 *
 * @module
 */
export * from "./templates/index.js";
