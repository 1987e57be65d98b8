/**
 * `@vitrine/protocol`: the MCP Apps wire. No dependencies; runs in a browser, a worker and Node.
 *
 * @module
 */
export type * from "./apps.js";
export { Channel, type ChannelRequestOptions, type Handler, type Listener } from "./channel.js";
export * from "./checked-peer.js";
export * from "./context.js";
export type * from "./conversation-wire.js";
export * from "./csp.js";
export * from "./end.js";
export * from "./errors.js";
export type * from "./gateway-wire.js";
export * from "./host-end.js";
export type * from "./hosts.js";
export * from "./json-text.js";
export * from "./lifecycle.js";
export type {
  AudioContent,
  BlobResourceContents,
  CallToolResult,
  ContentBlock,
  EmbeddedResource,
  ImageContent,
  Implementation,
  LoggingLevel,
  RequestId,
  ResourceContents,
  ResourceLink,
  SamplingMessage,
  TextContent,
  TextResourceContents,
  Tool,
  ToolAnnotations,
} from "./mcp.js";
export { callToolResult as callToolResultSchema, contentBlock, tool as toolSchema } from "./mcp.js";
export type { Prompt, Resource, ResourceTemplate } from "./mcp-answers.js";
export * from "./messages.js";
export * from "./metadata.js";
export * from "./methods.js";
export * from "./narrowing.js";
export * from "./peer.js";
export * from "./permissions.js";
export * from "./reloads.js";
export { type Decoded, decode, type Infer, type Schema } from "./schema.js";
export * from "./secrets.js";
export * from "./session/index.js";
export * from "./style-variables.js";
export * from "./transport.js";
export * from "./ui-document.js";
export * from "./ui-extension.js";
export type * from "./ui-meta.js";
export * from "./version.js";
export * from "./view-end.js";
export { ViewLifecycle, type ViewPhase } from "./view-lifecycle.js";
export * from "./view-problem.js";
export * from "./window-transport.js";
