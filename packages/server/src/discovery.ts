/**
 * Servers made of folders. A separate entry point, so that other servers need not load it.
 *
 * @module
 */
export {
  type Discovered,
  type DiscoverOptions,
  type DiscoveryProblem,
  discover,
  lineOf,
  toolJsonSchema,
  type UiMeta,
  uiMetaSchema,
} from "./discovery/index.js";
