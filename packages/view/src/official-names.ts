/**
 * Our types under the official SDK's names. To move a view here from that SDK, change only the import.
 *
 * @module
 */
import type {
  AppCapabilities,
  ClientCapabilities,
  DisplayMode,
  HostCapabilities,
  HostContext,
  HostStyles,
  InitializeResult,
  NotificationMethod,
  Params,
  RequestMethod,
  ResourceCsp,
  ResourceMeta,
  ResourcePermissions,
  Result,
  StyleVariable,
  StyleVariables,
  Theme,
  ToolMeta,
  ToolVisibility,
} from "@vitrine/protocol";

type Message<M extends RequestMethod | NotificationMethod> = { method: M; params: Params<M> };

export type McpUiTheme = Theme;
export type McpUiDisplayMode = DisplayMode;
export type McpUiStyleVariableKey = StyleVariable;
export type McpUiStyles = StyleVariables;
export type McpUiHostStyles = HostStyles;
export type McpUiHostContext = HostContext;
export type McpUiHostCapabilities = HostCapabilities;
export type McpUiAppCapabilities = AppCapabilities;
export type McpUiClientCapabilities = ClientCapabilities;
export type McpUiResourceCsp = ResourceCsp;
export type McpUiResourcePermissions = ResourcePermissions;
export type McpUiResourceMeta = ResourceMeta;
export type McpUiToolVisibility = ToolVisibility;
export type McpUiToolMeta = ToolMeta;
export type McpUiInitializeRequest = Message<"ui/initialize">;
export type McpUiInitializeResult = InitializeResult;
export type McpUiInitializedNotification = Message<"ui/notifications/initialized">;
export type McpUiOpenLinkRequest = Message<"ui/open-link">;
export type McpUiOpenLinkResult = Result<"ui/open-link">;
export type McpUiDownloadFileRequest = Message<"ui/download-file">;
export type McpUiDownloadFileResult = Result<"ui/download-file">;
export type McpUiMessageRequest = Message<"ui/message">;
export type McpUiMessageResult = Result<"ui/message">;
export type McpUiUpdateModelContextRequest = Message<"ui/update-model-context">;
export type McpUiRequestDisplayModeRequest = Message<"ui/request-display-mode">;
export type McpUiRequestDisplayModeResult = Result<"ui/request-display-mode">;
export type McpUiResourceTeardownRequest = Message<"ui/resource-teardown">;
export type McpUiResourceTeardownResult = Result<"ui/resource-teardown">;
export type McpUiRequestTeardownNotification = Message<"ui/notifications/request-teardown">;
export type McpUiSizeChangedNotification = Message<"ui/notifications/size-changed">;
export type McpUiToolInputNotification = Message<"ui/notifications/tool-input">;
export type McpUiToolInputPartialNotification = Message<"ui/notifications/tool-input-partial">;
export type McpUiToolResultNotification = Message<"ui/notifications/tool-result">;
export type McpUiToolCancelledNotification = Message<"ui/notifications/tool-cancelled">;
export type McpUiHostContextChangedNotification = Message<"ui/notifications/host-context-changed">;
