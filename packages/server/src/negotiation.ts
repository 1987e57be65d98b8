/**
 * What a client is told of tools with views: all of it if it shows views, or if nobody knows; and without a word of them if it
 * does not. A promise of a view that never appears is worse than text.
 *
 * @module
 */
import type { McpServer, ServerContext } from "@modelcontextprotocol/server";
import {
  isVisibleTo,
  RESOURCE_URI_META_KEY,
  readUiCapability,
  type UiCapability,
  VIEW_PROBLEM_KEY,
} from "@vitrine/protocol";

const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

/**
 * Whether the client of a request shows views. In the newer generation of MCP every request says so, in the older one the
 * handshake did; a stateless request of the older one says nothing.
 *
 * @example
 * ```ts source="./server.examples.ts#uiSupport"
 * run: (_input, { ui }) => (ui === "no" ? "A long report in words" : "A short one: the app shows the rest"),
 * ```
 */
export function uiSupport(server: McpServer, context?: ServerContext): UiCapability["support"] {
  const envelope = context?.mcpReq.envelope as Record<string, unknown> | undefined;
  const capabilities = envelope?.[CAPABILITIES] ?? server.server.getClientCapabilities();
  if (typeof capabilities !== "object" || capabilities === null) return "unknown";
  const known = read.get(capabilities);
  if (known) return known;
  const { support } = readUiCapability(capabilities);
  read.set(capabilities, support);
  return support;
}

/** What a handshake said is asked again for every call. */
const read = new WeakMap<object, UiCapability["support"]>();

type Listed = { tools: { name: string; _meta?: Record<string, unknown> }[] };
type Handler = (request: unknown, context: ServerContext) => Listed | Promise<Listed>;

/**
 * Has `tools/list` of a server answer each client in its own way. To be called before the first tool is registered.
 */
export function negotiateTools(server: McpServer): void {
  const low = server.server;
  const set = low.setRequestHandler.bind(low) as (method: string, handler: unknown) => void;
  const negotiated =
    (handler: Handler): Handler =>
    async (request, context) => {
      const answer = await handler(request, context);
      return uiSupport(server, context) === "no" ? { ...answer, tools: withoutViews(answer.tools) } : answer;
    };
  Object.assign(low, {
    setRequestHandler: (method: string, handler: unknown): void =>
      set(method, method === "tools/list" ? negotiated(handler as Handler) : handler),
  });
}

/** Tools for somebody who has no views: those that only views call are not there. */
function withoutViews(tools: Listed["tools"]): Listed["tools"] {
  return tools
    .filter((tool) => isVisibleTo(tool, "model"))
    .map(({ _meta, ...tool }) => {
      const { ui: _ui, [RESOURCE_URI_META_KEY]: _uri, [VIEW_PROBLEM_KEY]: _problem, ...meta } = _meta ?? {};
      return Object.keys(meta).length > 0 ? { ...tool, _meta: meta } : tool;
    });
}
