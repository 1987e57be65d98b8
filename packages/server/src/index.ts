/**
 * The toolkit for authors of MCP Apps, on top of the official server SDK.
 *
 * @module
 */

export type { JsonSchema } from "@vitrine/protocol";
export type { Advice } from "./advice.js";
export { AppServer, type AppServerOptions, appServer } from "./app-server.js";
export { DefinitionError, type DefinitionErrorCode } from "./errors.js";
export { CODE_KEY, type FailureCode } from "./failed-result.js";
export { InputError, PROBLEMS_KEY } from "./input-error.js";
export { uiSupport } from "./negotiation.js";
export {
  EXTENSION_ID,
  getUiCapability,
  type LegacyToolCallback,
  type McpUiAppResourceConfig,
  type McpUiAppToolConfig,
  type McpUiReadResourceCallback,
  type McpUiReadResourceResult,
  RESOURCE_MIME_TYPE,
  RESOURCE_URI_META_KEY,
  type ReadResourceCallback,
  type ResourceMetadata,
  registerAppResource,
  registerAppTool,
  type ToolCallback,
  type ToolConfig,
  withBothLinks,
  type ZodRawShape,
} from "./official.js";
export { Reply, type ReplyDetails, reply } from "./reply.js";
export type { Checked, DeepPartial, Given, Schema } from "./schemas.js";
export { type RunningServer, type ServeOptions, serve } from "./serve.js";
export type { AnyTemplate, Template } from "./templates/template.js";
export { textOfData } from "./text-of-data.js";
export {
  type AnyTool,
  type GivenBack,
  type ToolContext,
  type ToolDefinition,
  type ToolOptions,
  type ToolsOf,
  tool,
} from "./tool.js";
export {
  type Document,
  type DocumentSource,
  type ViewDefinition,
  type ViewDetails,
  type ViewOptions,
  view,
} from "./view.js";
