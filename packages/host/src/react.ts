/**
 * `@vitrine/host/react`: an app in a React tree. For React 18 and later.
 *
 * @module
 */

export * from "./index.js";
export { McpApp, type McpAppProps } from "./react-app.js";
export type { McpAppAttributes } from "./react-attributes.js";
