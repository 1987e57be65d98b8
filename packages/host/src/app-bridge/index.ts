/**
 * `@vitrine/host/app-bridge`: `AppBridge` of the official SDK, over Vitrine's channel and guard.
 *
 * @module
 */
export { AppBridge, type AppBridgeOptions } from "./app-bridge.js";
export { EventHandlers, type SdkSchema } from "./event-handlers.js";
export {
  buildAllowAttribute,
  getToolUiResourceUri,
  isToolVisibilityAppOnly,
  isToolVisibilityModelOnly,
  LATEST_PROTOCOL_VERSION,
  RESOURCE_MIME_TYPE,
  RESOURCE_URI_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "./names.js";
export type { AppBridgeClient } from "./sdk-client.js";
export {
  PostMessageTransport,
  type PostMessageTransportOptions,
  type SdkTransport,
} from "./sdk-transport.js";
export type {
  AppBridgeEventMap,
  AppBridgeHandler,
  FallbackRequest,
  McpUiAppCapabilities,
  McpUiDisplayMode,
  McpUiDownloadFileRequest,
  McpUiDownloadFileResult,
  McpUiHostCapabilities,
  McpUiHostContext,
  McpUiHostContextChangedNotification,
  McpUiInitializedNotification,
  McpUiMessageRequest,
  McpUiMessageResult,
  McpUiOpenLinkRequest,
  McpUiOpenLinkResult,
  McpUiRequestDisplayModeRequest,
  McpUiRequestDisplayModeResult,
  McpUiResourceCsp,
  McpUiResourceMeta,
  McpUiResourcePermissions,
  McpUiResourceTeardownRequest,
  McpUiSandboxResourceReadyNotification,
  McpUiSizeChangedNotification,
  McpUiTheme,
  McpUiToolCancelledNotification,
  McpUiToolInputNotification,
  McpUiToolInputPartialNotification,
  McpUiToolMeta,
  McpUiToolResultNotification,
  McpUiToolVisibility,
  McpUiUpdateModelContextRequest,
  RequestHandlerExtra,
  SdkMessage,
} from "./types.js";
