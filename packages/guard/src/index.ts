/**
 * `@vitrine/guard`: the layer between an app and its MCP server: policy, consent, limits and audit;
 * upstreams; an HTTP endpoint. Runs anywhere.
 *
 * @module
 */
export type { AppDetails, BridgeEvents, Traffic } from "./bridge-events.js";
export type { CapabilityDetails } from "./capabilities.js";
export {
  type Download,
  type DownloadLimits,
  type Downloads,
  fileName,
  readDownload,
  warnedName,
} from "./download.js";
export { resultText } from "./endpoint/http-answer.js";
export { type HostEndpointOptions, type HostGreeting, hostEndpoint } from "./endpoint/http-endpoint.js";
export {
  notifyHostContextChanged,
  notifyResourceTeardown,
  notifyToolCancelled,
  notifyToolInput,
  notifyToolInputPartial,
  notifyToolResult,
} from "./endpoint/notifications.js";
export type { HostHandlers, Speaker, ViewRequest } from "./handlers.js";
export { type BadLink, readLink, type WebLink } from "./link-policy.js";
export { type AuditOptions, type AuditRow, targetOf, writeAudit } from "./links/audit.js";
export { CONCURRENCY_LIMITS, type ConcurrencyLimits, limitConcurrency } from "./links/concurrency.js";
export {
  type Ask,
  type AskLevel,
  askOnce,
  type ConsentAnswer,
  type ConsentKey,
  type ConsentStore,
  memoryConsents,
  type Question,
} from "./links/consent.js";
export { chain, type InspectionMethod, type Link, type Next, type ViewCall } from "./links/link.js";
export { arrayAt, resultObject } from "./links/listing.js";
export {
  applyPolicy,
  type Decision,
  defaultDecision,
  type Policy,
  type PolicyOptions,
  questionOf,
  STRICT_POLICY,
} from "./links/policy.js";
export { limitRate, RATE_LIMITS, type Rate, type RateLimits } from "./links/rate.js";
export { isRefusal, REFUSED, Refusal } from "./links/refusal.js";
export { ResourceDirectory } from "./links/resource-directory.js";
export { type BoundaryOptions, ownServerOnly } from "./links/server-boundary.js";
export { limitSize, SIZE_LIMITS, type SizeLimits, sizeOf } from "./links/size.js";
export { type Guard, type GuardOptions, standardGuard } from "./links/standard.js";
export { fingerprint, ToolDirectory } from "./links/tool-directory.js";
export { onlyVisibleTools } from "./links/visibility.js";
export {
  type HostService,
  hostService,
  type NoticeHandler,
  type ServiceHandler,
  type ServiceNotification,
  type ServiceOptions,
  type ServiceRequest,
} from "./service.js";
export { type ClientUpstreamOptions, clientUpstream } from "./upstream/client-upstream.js";
export { type HttpUpstreamOptions, httpUpstream } from "./upstream/http-upstream.js";
export type { ClientRequestOptions, McpClient, McpClientV1 } from "./upstream/mcp-client.js";
export { Subscriptions } from "./upstream/subscriptions.js";
export {
  MAX_UI_BYTES,
  type ToolView,
  UiResources,
  type UiResourcesOptions,
} from "./upstream/ui-resources.js";
export type {
  ServerCapabilities,
  Upstream,
  UpstreamMethod,
  UpstreamNotification,
  UpstreamRequestOptions,
} from "./upstream/upstream.js";
