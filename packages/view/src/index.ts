/**
 * `@vitrine/view`: the runtime inside an MCP App's iframe. Its only dependency is `@vitrine/protocol`.
 *
 * @module
 */
export { App, type AppOptions, type AppRequestOptions, PostMessageTransport } from "./app.js";
export type {
  AppToolCallback,
  AppToolConfig,
  AppToolContext,
  AppToolResult,
  RegisteredAppTool,
} from "./app-tools.js";
export type {
  McpUiAppCapabilities,
  McpUiClientCapabilities,
  McpUiDisplayMode,
  McpUiDownloadFileRequest,
  McpUiDownloadFileResult,
  McpUiHostCapabilities,
  McpUiHostContext,
  McpUiHostContextChangedNotification,
  McpUiHostStyles,
  McpUiInitializedNotification,
  McpUiInitializeRequest,
  McpUiInitializeResult,
  McpUiMessageRequest,
  McpUiMessageResult,
  McpUiOpenLinkRequest,
  McpUiOpenLinkResult,
  McpUiRequestDisplayModeRequest,
  McpUiRequestDisplayModeResult,
  McpUiRequestTeardownNotification,
  McpUiResourceCsp,
  McpUiResourceMeta,
  McpUiResourcePermissions,
  McpUiResourceTeardownRequest,
  McpUiResourceTeardownResult,
  McpUiSizeChangedNotification,
  McpUiStyles,
  McpUiStyleVariableKey,
  McpUiTheme,
  McpUiToolCancelledNotification,
  McpUiToolInputNotification,
  McpUiToolInputPartialNotification,
  McpUiToolMeta,
  McpUiToolResultNotification,
  McpUiToolVisibility,
  McpUiUpdateModelContextRequest,
} from "./official-names.js";
export type { StandardSchema } from "./standard-schema.js";
export {
  applyDocumentTheme,
  applyHostContext,
  applyHostFonts,
  applyHostStyleVariables,
  getDocumentTheme,
} from "./theme.js";
export type { ToolResult, ToolTypes, TypedApp, UntypedTool } from "./typed-app.js";
export { View, type ViewEvent, type ViewEventMap, type ViewListener } from "./view.js";
