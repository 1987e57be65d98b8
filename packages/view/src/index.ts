/**
 * `@vitrine/view`: the runtime inside an MCP App's iframe. Its only dependency is `@vitrine/protocol`.
 *
 * @module
 */
export * from "./app.js";
export type {
  AppToolCallback,
  AppToolConfig,
  AppToolContext,
  AppToolResult,
  RegisteredAppTool,
} from "./app-tools.js";
export type * from "./official-names.js";
export type { StandardSchema } from "./standard-schema.js";
export * from "./theme.js";
export type { ToolResult, ToolTypes, TypedApp, UntypedTool } from "./typed-app.js";
export { View, type ViewEvent, type ViewEventMap, type ViewListener } from "./view.js";
