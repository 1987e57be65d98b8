/**
 * `@vitrine/host`: the host side of an MCP App, in a page: bridge, frame and `<mcp-app>`.
 *
 * @module
 */
export { type AppToolAudit, type AppToolCall, type AppToolsOptions, ViewTools } from "./app-tools.js";
export { Bridge, type BridgeOptions } from "./bridge.js";
export type { BridgeTransport } from "./bridge-transport.js";
export { type Dialect, looksEarly } from "./dialect.js";
export { defineMcpApp, McpAppElement, type McpAppEventMap } from "./element.js";
export { type ApprovalGuard, guardApproval } from "./frame/approval-guard.js";
export type { FrameFailure, FrameFailureCode } from "./frame/failure.js";
export { AppFrame, type AppFrameOptions, type FrameState } from "./frame/frame.js";
export type { LoadFailureCause } from "./frame/load-failure.js";
export { oneLine } from "./frame/one-line.js";
export { askInPage } from "./frame/page-prompt.js";
export { askInFrame } from "./frame/prompt.js";
export type { FrameView } from "./frame/proxy-frame.js";
export { appBudget } from "./frame/release.js";
export { saveFiles } from "./frame/save-files.js";
export { type WarmOptions, warm } from "./frame/warm.js";
export type { HostChannelOptions } from "./host-channel.js";
export { DEFAULT_FONTS, type HostStyleOptions, hostStyles } from "./host-styles.js";
export { type ProxyReport, ProxyTransport, type ProxyTransportOptions } from "./proxy-transport.js";
export { streamToolInput } from "./stream-input.js";
export { type FrameWords, type Language, type PromptWords, setLanguage } from "./words.js";
