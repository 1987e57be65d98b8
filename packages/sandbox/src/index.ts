/**
 * `@vitrine/sandbox`: the origin that views run on. `@vitrine/sandbox/node` is the same as a Node server.
 *
 * @module
 */
export type { Origins, Role, SandboxPlace } from "./origins.js";
export type { ViewRules } from "./record.js";
export { MemoryRecords, type RecordStore } from "./records.js";
export {
  Sandbox,
  type SandboxedView,
  type SandboxOptions,
  type Secret,
  type ViewIsolation,
  type ViewRegistration,
} from "./sandbox.js";
