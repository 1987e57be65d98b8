/**
 * For unit tests: calls a server's tools and reads its views in the same process, and runs a view in the
 * test's window. For tests in a real browser, use `vitrine render`.
 *
 * @module
 */
export { type MountHtmlOptions, type MountToolOptions, mountView } from "./testing/mount-view.js";
export type { MountedView, ToldResult } from "./testing/mounted-view.js";
export type { CalledTool, HostRequests, ToolOverride } from "./testing/test-host.js";
export {
  type AnyTypes,
  type ListedTool,
  type ReadView,
  type ResultOf,
  type TestedServer,
  type TestOptions,
  type TypesOf,
  testServer,
} from "./testing/test-server.js";
export type { ViewWindow } from "./testing/view-window.js";
