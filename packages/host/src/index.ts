/**
 * `@vitrine/host`: the host end of an MCP App. The bridge, the guard and the HTTP endpoint run anywhere; the frame and
 * the element need a page.
 *
 * @module
 */
export * from "./app-tools.js";
export * from "./bridge.js";
export type * from "./bridge-events.js";
export type { BridgeTransport } from "./bridge-transport.js";
export type { CapabilityDetails } from "./capabilities.js";
export * from "./client-upstream.js";
export { type Dialect, looksEarly } from "./dialect.js";
export * from "./download.js";
export * from "./element.js";
export { type ApprovalGuard, guardApproval } from "./frame/approval-guard.js";
export * from "./frame/failure.js";
export { AppFrame, type AppFrameOptions, type FrameState } from "./frame/frame.js";
export { oneLine } from "./frame/one-line.js";
export { askInPage } from "./frame/page-prompt.js";
export { askInFrame } from "./frame/prompt.js";
export type { FrameView } from "./frame/proxy-frame.js";
export { saveFiles } from "./frame/save-files.js";
export { type WarmOptions, warm } from "./frame/warm.js";
export * from "./guard/audit.js";
export { CONCURRENCY_LIMITS, type ConcurrencyLimits, limitConcurrency } from "./guard/concurrency.js";
export * from "./guard/consent.js";
export * from "./guard/link.js";
export * from "./guard/policy.js";
export * from "./guard/rate.js";
export { isRefusal, REFUSED, Refusal } from "./guard/refusal.js";
export * from "./guard/resource-directory.js";
export * from "./guard/server-boundary.js";
export { limitSize, SIZE_LIMITS, type SizeLimits, sizeOf } from "./guard/size.js";
export * from "./guard/standard.js";
export * from "./guard/tool-directory.js";
export * from "./guard/visibility.js";
export type * from "./handlers.js";
export type { HostChannelOptions } from "./host-channel.js";
export * from "./host-styles.js";
export * from "./http-endpoint.js";
export * from "./http-upstream.js";
export * from "./link-policy.js";
export * from "./notifications.js";
export * from "./partial-input.js";
export { type ProxyReport, ProxyTransport, type ProxyTransportOptions } from "./proxy-transport.js";
export * from "./service.js";
export { Subscriptions } from "./subscriptions.js";
export * from "./ui-resources.js";
export * from "./upstream.js";
