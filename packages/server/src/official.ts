/**
 * The official SDK's helpers for apps, under the same names and types. To move a server here, change only its
 * import.
 *
 * @module
 */
import type {
  CallToolResult,
  ClientCapabilities,
  InputRequiredResult,
  McpServer,
  ReadResourceCallback as ReadCallback,
  ReadResourceResult,
  RegisteredResource,
  RegisteredTool,
  ResourceMetadata,
  ServerContext,
  StandardSchemaWithJSON,
  ToolAnnotations,
  ToolCallback,
} from "@modelcontextprotocol/server";
import {
  RESOURCE_URI_META_KEY,
  type ResourceMeta,
  type ToolMeta,
  UI_EXTENSION,
  UI_MIME_TYPE,
} from "@vitrine/protocol";
import type { z } from "zod";

export type { ResourceMetadata, ToolCallback };

/** The identifier of the MCP Apps extension. */
export const EXTENSION_ID = UI_EXTENSION;
/** The MIME type of a view. */
export const RESOURCE_MIME_TYPE = UI_MIME_TYPE;
export { RESOURCE_URI_META_KEY };

/** @deprecated Use `z.object({...})`. */
export type ZodRawShape = Record<string, z.ZodType>;

type ToolAnswer = CallToolResult | InputRequiredResult;

/** @deprecated See {@link ZodRawShape}. */
export type LegacyToolCallback<Args extends ZodRawShape | undefined> = Args extends ZodRawShape
  ? (args: z.infer<z.ZodObject<Args>>, ctx: ServerContext) => ToolAnswer | Promise<ToolAnswer>
  : (ctx: ServerContext) => ToolAnswer | Promise<ToolAnswer>;

/** Description of a tool. */
export interface ToolConfig {
  title?: string;
  description?: string;
  inputSchema?: ZodRawShape | StandardSchemaWithJSON;
  outputSchema?: ZodRawShape | StandardSchemaWithJSON;
  annotations?: ToolAnnotations;
  _meta?: Record<string, unknown>;
}

/** A tool with a view: its address is under `_meta.ui.resourceUri`, or under the older flat key. */
export interface McpUiAppToolConfig extends ToolConfig {
  _meta: { [key: string]: unknown } & ({ ui: ToolMeta } | { [RESOURCE_URI_META_KEY]?: string });
}

/** A view in `resources/list`. */
export interface McpUiAppResourceConfig extends ResourceMetadata {
  _meta?: { ui?: ResourceMeta; [key: string]: unknown };
}

export type McpUiReadResourceResult = ReadResourceResult & {
  _meta?: { ui?: ResourceMeta; [key: string]: unknown };
};
export type McpUiReadResourceCallback = (
  uri: URL,
  extra: Parameters<ReadCallback>[1],
) => McpUiReadResourceResult | Promise<McpUiReadResourceResult>;
export type ReadResourceCallback = McpUiReadResourceCallback;

/**
 * Registers a tool with a view. The view's address is written under both keys, because older hosts read the
 * flat one.
 *
 * @example
 * ```ts source="./server.examples.ts#registerAppTool"
 * registerAppTool(
 *   server,
 *   "forecast",
 *   {
 *     description: "The weather in a city",
 *     inputSchema: z.object({ city: z.string() }),
 *     _meta: { ui: { resourceUri: "ui://weather/forecast.html" } },
 *   },
 *   async ({ city }) => ({ content: [{ type: "text", text: `Sunny in ${city}` }] }),
 * );
 * ```
 */
export function registerAppTool<
  OutputArgs extends StandardSchemaWithJSON,
  InputArgs extends StandardSchemaWithJSON | undefined = undefined,
>(
  server: Pick<McpServer, "registerTool">,
  name: string,
  config: McpUiAppToolConfig & { inputSchema?: InputArgs; outputSchema?: OutputArgs },
  cb: ToolCallback<InputArgs>,
): RegisteredTool;
/** @deprecated Use `z.object({...})` instead of a plain record of schemas. */
export function registerAppTool<
  InputArgs extends ZodRawShape,
  OutputArgs extends ZodRawShape | StandardSchemaWithJSON | undefined = undefined,
>(
  server: Pick<McpServer, "registerTool">,
  name: string,
  config: McpUiAppToolConfig & { inputSchema?: InputArgs; outputSchema?: OutputArgs },
  cb: LegacyToolCallback<InputArgs>,
): RegisteredTool;
export function registerAppTool(
  server: Pick<McpServer, "registerTool">,
  name: string,
  config: McpUiAppToolConfig,
  cb: (...args: never[]) => unknown,
): RegisteredTool {
  // The SDK detects by itself which of the two forms it gets.
  const register = server.registerTool.bind(server) as (...args: unknown[]) => RegisteredTool;
  return register(name, { ...config, _meta: withBothLinks(config._meta) }, cb);
}

/** Writes the view's address under both keys. If they differ, the nested one wins. */
export function withBothLinks(meta: Record<string, unknown>): Record<string, unknown> {
  const ui = meta["ui"] as ToolMeta | undefined;
  const uri = ui?.resourceUri ?? (meta[RESOURCE_URI_META_KEY] as string | undefined);
  return uri === undefined
    ? meta
    : { ...meta, ui: { ...ui, resourceUri: uri }, [RESOURCE_URI_META_KEY]: uri };
}

/**
 * Registers a view. Its MIME type defaults to the one that hosts expect.
 *
 * @example
 * ```ts source="./server.examples.ts#registerAppResource"
 * const uri = "ui://weather/forecast.html";
 * registerAppResource(server, "Forecast", uri, { description: "Shows a forecast" }, () => ({
 *   contents: [{ uri, mimeType: RESOURCE_MIME_TYPE, text: html }],
 * }));
 * ```
 */
export function registerAppResource(
  server: Pick<McpServer, "registerResource">,
  name: string,
  uri: string,
  config: McpUiAppResourceConfig,
  readCallback: McpUiReadResourceCallback,
): RegisteredResource {
  return server.registerResource(name, uri, { mimeType: RESOURCE_MIME_TYPE, ...config }, readCallback);
}

/**
 * A client's MCP Apps capability; undefined if it has none. `readUiCapability` of `@vitrine/protocol` also
 * distinguishes an unknown client.
 *
 * @example
 * ```ts source="./server.examples.ts#getUiCapability"
 * const ui = getUiCapability(server.server.getClientCapabilities());
 * const showsApps = ui?.mimeTypes?.includes(RESOURCE_MIME_TYPE) ?? false;
 * ```
 */
export function getUiCapability(
  capabilities: ClientCapabilities | null | undefined,
): { mimeTypes?: string[] } | undefined {
  return (capabilities as { extensions?: Record<string, { mimeTypes?: string[] }> } | null | undefined)
    ?.extensions?.[EXTENSION_ID];
}
