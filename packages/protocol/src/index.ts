/**
 * `@vitrine/protocol`: the MCP Apps protocol. No dependencies; runs in browsers, workers and Node.
 *
 * @module
 */
export {
  type AppCapabilities,
  appCapabilities,
  type DisplayMode,
  displayMode,
  type InitializeParams,
  initializeParams,
  present,
} from "./apps.js";
export { Channel, type ChannelRequestOptions, type Handler, type Listener } from "./channel.js";
export { CheckedPeer } from "./checked-peer.js";
export {
  diffHostContext,
  type HostContextUpdate,
  INSTANCE_KEY,
  mergeHostContext,
  RELEASE_KEY,
} from "./context.js";
export {
  acceptedCsp,
  buildCsp,
  CSP_FIELDS,
  type CspResult,
  connectionAllowlist,
  type RejectedSource,
  type RejectedSourceCode,
  type Relaxation,
} from "./csp.js";
export { type InvocationTexts, readInvocationTexts } from "./dialects/apps-sdk.js";
export { type EmbeddedUi, readEmbeddedUi } from "./dialects/embedded-ui.js";
export { VIEW_DIALECTS, type ViewDialect } from "./dialects/view-dialects.js";
export type { End, Shapes, Side } from "./end.js";
export {
  type ErrorCode,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  VitrineError,
  type VitrineErrorOptions,
} from "./errors.js";
export { HOST_END } from "./host-end.js";
export {
  type ContainerDimensions,
  type HostCapabilities,
  type HostContext,
  type HostStyles,
  hostCapabilities,
  hostContext,
  hostStyles,
  type InitializeResult,
  initializeResult,
  type StyleVariables,
  type Theme,
  type ToolInputParams,
  theme,
  toolInputParams,
} from "./hosts.js";
export { endOfBrackets, endOfString } from "./json-ends.js";
export { type JsonSchema, jsonSchemaProblem } from "./json-schema.js";
export { JsonText } from "./json-text.js";
export {
  type Cause,
  DEFAULT_LIMITS,
  HostLifecycle,
  type HostLifecycleOptions,
  type HostPhase,
  type LifecycleLimits,
  type Outgoing,
  type Verdict,
} from "./lifecycle.js";
export { Listeners } from "./listeners.js";
export {
  type AudioContent,
  type BlobResourceContents,
  type CallToolResult,
  type ContentBlock,
  callToolResult as callToolResultSchema,
  contentBlock,
  type EmbeddedResource,
  type ImageContent,
  type Implementation,
  type LoggingLevel,
  type RequestId,
  type ResourceContents,
  type ResourceLink,
  type SamplingMessage,
  type TextContent,
  type TextResourceContents,
  type Tool,
  type ToolAnnotations,
  tool as toolSchema,
} from "./mcp.js";
export type { Prompt, Resource, ResourceTemplate } from "./mcp-answers.js";
export {
  type DecodedMessage,
  type DecodeOptions,
  decodeMessage,
  decodeParams,
  decodeResult,
  type ErrorMessage,
  encodeError,
  encodeNotification,
  encodeRequest,
  encodeResult,
  type NotificationMessage,
  type RefusedMessage,
  type RequestMessage,
  type ResultMessage,
} from "./messages.js";
export {
  hasUi,
  isUiUri,
  isVisibleTo,
  type Problem,
  type ProblemCode,
  RESOURCE_URI_META_KEY,
  readResourceUi,
  readToolUi,
  readUiLink,
  type ToolUi,
} from "./metadata.js";
export {
  NOTIFICATIONS,
  type NotificationFrom,
  type NotificationMethod,
  type OtherSide,
  type Params,
  REQUESTS,
  type RequestFrom,
  type RequestMethod,
  type Result,
} from "./methods.js";
export { NARROWINGS, type Narrowing, narrowCsp } from "./narrowing.js";
export {
  isPageViewName,
  type PageView,
  pageViewAddress,
  pageViewDigest,
  pageViewLabel,
  pageViewName,
  readPageViewName,
} from "./page-view.js";
export { followInput, PARTIAL_INTERVAL, PartialJson } from "./partial-input.js";
export { Peer, type Progress, type RequestContext, type RequestOptions } from "./peer.js";
export { allowAttribute, asksForPermission, PERMISSION_FEATURES, type Permission } from "./permissions.js";
export { followedPaths, RELOADS_KEY, RELOADS_VARIABLE } from "./reloads.js";
export { isRequestId } from "./request-id.js";
export {
  boolean,
  type Decoded,
  decode,
  type Infer,
  integer,
  literal,
  object,
  recordOf,
  type Shape,
  string,
} from "./schema.js";
export { isSecretName, SECRET_ENDINGS, withoutSecrets } from "./secrets.js";
export { isStaticDocument } from "./static-document.js";
export { DEFAULT_STYLE_VARIABLES, STYLE_VARIABLES, type StyleVariable } from "./style-variables.js";
export { acceptText, memoryPair, PortTransport, type Transport } from "./transport.js";
export { readUiDocument, type UiDocument, type UiDocumentErrorCode } from "./ui-document.js";
export {
  isUiMimeType,
  readUiCapability,
  UI_EXTENSION,
  UI_MIME_TYPE,
  type UiCapability,
  uiExtension,
} from "./ui-extension.js";
export {
  type ClientCapabilities,
  clientCapabilities,
  type ResourceCsp,
  type ResourceMeta,
  type ResourcePermissions,
  resourceCsp,
  resourceMeta,
  resourcePermissions,
  type ToolMeta,
  type ToolVisibility,
  toolMeta,
  toolVisibility,
} from "./ui-meta.js";
export { isRecord } from "./untrusted.js";
export { negotiateVersion, PROTOCOL_VERSION, PROTOCOL_VERSIONS } from "./version.js";
export { VIEW_END } from "./view-end.js";
export { ViewLifecycle, type ViewPhase } from "./view-lifecycle.js";
export { readViewProblem, VIEW_PROBLEM_KEY } from "./view-problem.js";
export { type ContentSize, watchSize } from "./watch-size.js";
export { WindowTransport, type WindowTransportOptions } from "./window-transport.js";
