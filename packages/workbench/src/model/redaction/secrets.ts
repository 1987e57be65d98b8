/**
 * Arguments that must not be read by others: see `withoutSecrets` of the protocol.
 *
 * @module
 */
export { withoutSecrets } from "@vitrine/protocol";
