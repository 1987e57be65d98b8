/**
 * The part of MCP that crosses between a view and its host: content, tools, and requests of a view. Only the
 * parts that MCP Apps uses are here. Results for views are in `mcp-answers.ts`.
 *
 * @module
 */
import {
  array,
  boolean,
  type Infer,
  integer,
  literal,
  number,
  object,
  open,
  record,
  type Shape,
  string,
  union,
  unknown,
} from "./schema.js";

/** Any JSON value. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

export const meta = record(unknown);
/** A value that is passed on unread. The transport guarantees that it is JSON. */
const json = unknown as Shape<Json>;
export const role = literal("user", "assistant");

/** The id of a JSON-RPC request. */
export type RequestId = string | number;
export const requestId: Shape<RequestId> = union(string, integer);

const icon = object(
  { src: string },
  { mimeType: string, sizes: array(string), theme: literal("light", "dark") },
);
export const icons = array(icon);

/** Name and version of a program. */
export interface Implementation extends Infer<typeof implementation> {}
export const implementation = object(
  { name: string, version: string },
  { title: string, description: string, websiteUrl: string, icons },
);

export const annotations = object({}, { audience: array(role), priority: number, lastModified: string });

/** Text for users or for the model. */
export interface TextContent extends Infer<typeof textContent> {}
export const textContent = object({ type: literal("text"), text: string }, { annotations, _meta: meta });

/** An image, in base64. */
export interface ImageContent extends Infer<typeof imageContent> {}
export const imageContent = object(
  { type: literal("image"), data: string, mimeType: string },
  { annotations, _meta: meta },
);

/** Audio, in base64. */
export interface AudioContent extends Infer<typeof audioContent> {}
export const audioContent = object(
  { type: literal("audio"), data: string, mimeType: string },
  { annotations, _meta: meta },
);

export const resourceFields = {
  title: string,
  description: string,
  mimeType: string,
  size: number,
  icons,
  annotations,
  _meta: meta,
};

/** A link to a resource. */
export interface ResourceLink extends Infer<typeof resourceLink> {}
export const resourceLink = object(
  { type: literal("resource_link"), uri: string, name: string },
  resourceFields,
);

/** A resource's text. */
export interface TextResourceContents extends Infer<typeof textResourceContents> {}
const textResourceContents = object({ uri: string, text: string }, { mimeType: string, _meta: meta });

/** A resource's bytes, in base64. */
export interface BlobResourceContents extends Infer<typeof blobResourceContents> {}
const blobResourceContents = object({ uri: string, blob: string }, { mimeType: string, _meta: meta });

/** Contents of a resource, as text or bytes. */
export type ResourceContents = Infer<typeof resourceContents>;
export const resourceContents = union(textResourceContents, blobResourceContents);

/** A resource with its contents. */
export interface EmbeddedResource extends Infer<typeof embeddedResource> {}
export const embeddedResource = object(
  { type: literal("resource"), resource: resourceContents },
  { annotations, _meta: meta },
);

/** A block of content in a message or a result. */
export type ContentBlock = Infer<typeof contentBlock>;
export const contentBlock = union(textContent, imageContent, audioContent, resourceLink, embeddedResource);

/** The result of a tool call. `content` is for the model, `structuredContent` for the view. */
export interface CallToolResult extends Infer<typeof callToolResult> {}
export const callToolResult = open(
  { content: array(contentBlock) },
  { structuredContent: unknown, isError: boolean, _meta: meta },
);

const toolAnnotations = object(
  {},
  {
    title: string,
    readOnlyHint: boolean,
    destructiveHint: boolean,
    idempotentHint: boolean,
    openWorldHint: boolean,
  },
);
/** Hints about a tool's behaviour. They come from the server: trust them no more than the server. */
export interface ToolAnnotations extends Infer<typeof toolAnnotations> {}

/** A tool as `tools/list` describes it. */
export interface Tool extends Infer<typeof tool> {}
export const tool = object(
  { name: string, inputSchema: open({ type: literal("object") }) },
  {
    title: string,
    description: string,
    outputSchema: record(unknown),
    annotations: toolAnnotations,
    execution: object({}, { taskSupport: literal("optional", "required", "forbidden") }),
    icons,
    _meta: meta,
  },
);

export const emptyParams = object({}, { _meta: meta });
export const emptyResult = open({}, { _meta: meta });
export const listParams = object({}, { cursor: string, _meta: meta });
/** Fields that every page of a list has. */
export const listed = { nextCursor: string, _meta: meta };
export const listToolsResult = open({ tools: array(tool) }, listed);
/** Asks the server to create a task instead of answering directly. */
const task = object({}, { ttl: number });
export const callToolParams = object({ name: string }, { arguments: record(unknown), task, _meta: meta });
export const uriParams = object({ uri: string }, { _meta: meta });
export const getPromptParams = object({ name: string }, { arguments: record(string), _meta: meta });

const toolUse = object(
  { type: literal("tool_use"), id: string, name: string, input: record(unknown) },
  { _meta: meta },
);
const toolResult = object(
  { type: literal("tool_result"), toolUseId: string, content: array(contentBlock) },
  { structuredContent: unknown, isError: boolean, _meta: meta },
);
export const samplingBlock = union(textContent, imageContent, audioContent, toolUse, toolResult);
const samplingMessage = object(
  { role, content: union(samplingBlock, array(samplingBlock)) },
  { _meta: meta },
);

/** A turn of a conversation that a view asks the host's model to continue. */
export interface SamplingMessage extends Infer<typeof samplingMessage> {}

export const createMessageParams = object(
  { messages: array(samplingMessage), maxTokens: integer },
  {
    systemPrompt: string,
    temperature: number,
    stopSequences: array(string),
    modelPreferences: object(
      {},
      {
        hints: array(object({}, { name: string })),
        costPriority: number,
        speedPriority: number,
        intelligencePriority: number,
      },
    ),
    includeContext: literal("none", "thisServer", "allServers"),
    metadata: record(json),
    tools: array(tool),
    toolChoice: object({}, { mode: literal("auto", "required", "none") }),
    task,
    _meta: meta,
  },
);
/** Log levels, from least to most urgent. */
export type LoggingLevel = Infer<typeof loggingLevel>;
const loggingLevel = literal("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency");
export const loggingParams = object({ level: loggingLevel, data: unknown }, { logger: string, _meta: meta });

export const progressParams = object(
  { progressToken: requestId, progress: number },
  { total: number, message: string, _meta: meta },
);
export const cancelledParams = object({}, { requestId, reason: string, _meta: meta });
