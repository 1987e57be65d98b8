/**
 * Types of the official bridge, by their official names. `wire.test-d.ts` proves that the types behind them are
 * equal to the official ones.
 *
 * @module
 */
import type {
  AppCapabilities,
  DisplayMode,
  HostCapabilities,
  HostContext,
  NotificationMethod,
  Params,
  RequestFrom,
  RequestId,
  RequestMethod,
  RequestOptions,
  ResourceCsp,
  ResourceMeta,
  ResourcePermissions,
  Result,
  Theme,
  ToolMeta,
  ToolVisibility,
} from "@vitrine/protocol";

/** {@link HostContext} by its official name. */
export type McpUiHostContext = HostContext;
/** {@link HostCapabilities} by its official name. */
export type McpUiHostCapabilities = HostCapabilities;
/** {@link AppCapabilities} by its official name. */
export type McpUiAppCapabilities = AppCapabilities;
/** {@link DisplayMode} by its official name. */
export type McpUiDisplayMode = DisplayMode;
/** {@link Theme} by its official name. */
export type McpUiTheme = Theme;
/** {@link ResourceCsp} by its official name. */
export type McpUiResourceCsp = ResourceCsp;
/** {@link ResourcePermissions} by its official name. */
export type McpUiResourcePermissions = ResourcePermissions;
/** {@link ResourceMeta} by its official name. */
export type McpUiResourceMeta = ResourceMeta;
/** {@link ToolMeta} by its official name. */
export type McpUiToolMeta = ToolMeta;
/** {@link ToolVisibility} by its official name. */
export type McpUiToolVisibility = ToolVisibility;

/** A request or notification of the specification, as a whole. */
interface Whole<M extends RequestMethod | NotificationMethod> {
  method: M;
  params: Params<M>;
}
/** `ui/message` */
export type McpUiMessageRequest = Whole<"ui/message">;
/** The answer to `ui/message`. */
export type McpUiMessageResult = Result<"ui/message">;
/** `ui/open-link` */
export type McpUiOpenLinkRequest = Whole<"ui/open-link">;
/** The answer to `ui/open-link`. */
export type McpUiOpenLinkResult = Result<"ui/open-link">;
/** `ui/download-file` */
export type McpUiDownloadFileRequest = Whole<"ui/download-file">;
/** The answer to `ui/download-file`. */
export type McpUiDownloadFileResult = Result<"ui/download-file">;
/** `ui/update-model-context` */
export type McpUiUpdateModelContextRequest = Whole<"ui/update-model-context">;
/** `ui/request-display-mode` */
export type McpUiRequestDisplayModeRequest = Whole<"ui/request-display-mode">;
/** The answer to `ui/request-display-mode`. */
export type McpUiRequestDisplayModeResult = Result<"ui/request-display-mode">;
/** `ui/resource-teardown` */
export type McpUiResourceTeardownRequest = Whole<"ui/resource-teardown">;
/** `ui/notifications/size-changed` */
export type McpUiSizeChangedNotification = Whole<"ui/notifications/size-changed">;
/** `ui/notifications/initialized` */
export type McpUiInitializedNotification = Whole<"ui/notifications/initialized">;
/** `ui/notifications/tool-input` */
export type McpUiToolInputNotification = Whole<"ui/notifications/tool-input">;
/** `ui/notifications/tool-input-partial` */
export type McpUiToolInputPartialNotification = Whole<"ui/notifications/tool-input-partial">;
/** `ui/notifications/tool-result` */
export type McpUiToolResultNotification = Whole<"ui/notifications/tool-result">;
/** `ui/notifications/tool-cancelled` */
export type McpUiToolCancelledNotification = Whole<"ui/notifications/tool-cancelled">;
/** `ui/notifications/host-context-changed` */
export type McpUiHostContextChangedNotification = Whole<"ui/notifications/host-context-changed">;
/** `ui/notifications/sandbox-resource-ready` */
export type McpUiSandboxResourceReadyNotification = Whole<"ui/notifications/sandbox-resource-ready">;

/** A message of the bridge, in the SDK's form. */
export interface SdkMessage {
  method: string;
  params?: object | undefined;
}

/** A request as a fallback handler receives it. */
export interface FallbackRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: string;
  params?: { [key: string]: unknown };
}

/** The part of {@link RequestHandlerExtra} that both generations of the SDK have, by different names. */
interface Exchange {
  /** Aborted if the view cancels the request, or is closed. */
  readonly signal: AbortSignal;
  /** The request's own `_meta`. Its progress token belongs to this request. */
  readonly _meta: { readonly progressToken?: RequestId; readonly [key: string]: unknown };
}

/**
 * The second argument of a request's handler, with the members of both generations of the SDK: `extra.signal` and
 * `extra.sendNotification` of 1.x, `extra.mcpReq` of 2.x.
 */
export interface RequestHandlerExtra extends Exchange {
  readonly requestId: RequestId;
  sendNotification(notification: SdkMessage): Promise<void>;
  sendRequest(request: SdkMessage, resultSchema?: unknown, options?: RequestOptions): Promise<unknown>;
  readonly mcpReq: Exchange & {
    readonly id: RequestId;
    readonly method: string;
    notify(notification: SdkMessage): Promise<void>;
    send(request: SdkMessage, resultSchema?: unknown, options?: RequestOptions): Promise<unknown>;
  };
}

/** Handles a request of the view. */
export type AppBridgeHandler<M extends RequestFrom<"view">> = (
  params: Params<M>,
  extra: RequestHandlerExtra,
) => Promise<Result<M>>;

/** Params of the events of an `AppBridge`. */
export interface AppBridgeEventMap {
  sizechange: Params<"ui/notifications/size-changed">;
  sandboxready: Params<"ui/notifications/sandbox-proxy-ready">;
  initialized: Params<"ui/notifications/initialized">;
  requestteardown: Params<"ui/notifications/request-teardown">;
  loggingmessage: Params<"notifications/message">;
}
