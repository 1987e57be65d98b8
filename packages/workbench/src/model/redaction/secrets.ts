/**
 * Secret arguments: see `withoutSecrets` of the protocol.
 *
 * @module
 */
export { withoutSecrets } from "@vitrine/protocol";
