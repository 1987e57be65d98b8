/**
 * Servers made of folders.
 *
 * @module
 */
export { type Discovered, type DiscoverOptions, discover } from "./discover.js";
export { type DiscoveryProblem, lineOf } from "./problem.js";
export { toolJsonSchema } from "./tool-json.js";
export { type UiMeta, uiMetaSchema } from "./ui-meta.js";
