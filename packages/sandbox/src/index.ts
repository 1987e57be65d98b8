/**
 * `@vitrine/sandbox`: the origin that views run on.
 *
 * @module
 */
export {};
