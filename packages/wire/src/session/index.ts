/**
 * Resumable sessions between a page and a gateway.
 *
 * @module
 */
export type * from "./carrier.js";
export * from "./frame.js";
export * from "./handshake.js";
export * from "./limits.js";
export * from "./session.js";
