/** The version of all Vitrine packages. `npm run packages` writes this file from the root's `package.json`. */
export const VITRINE_VERSION = "0.1.0";
