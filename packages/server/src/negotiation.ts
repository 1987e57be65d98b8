/**
 * Adapts the tools list to the client. Clients with UI support, or with unknown support, get everything.
 * Other clients get no UI metadata: text is better than the promise of a view that never appears.
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
 * Whether the client of a request shows views. In newer MCP versions every request says so; in older ones the
 * handshake does. A stateless request of an older version does not say.
 *
 * @example
 * ```ts source="./server.examples.ts#uiSupport"
 * export const report = tool({
 *   name: "report",
 *   run: (_input, { ui }) => (ui === "no" ? "A long report as text" : "A short one: the app shows the rest"),
 * });
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

/** Caches the handshake's answer, because every call asks for it. */
const read = new WeakMap<object, UiCapability["support"]>();

type Listed = { tools: { name: string; _meta?: Record<string, unknown> }[] };
type Handler = (request: unknown, context: ServerContext) => Listed | Promise<Listed>;

/** Makes a server's `tools/list` adapt to each client. Call it before the first tool is registered. */
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

/** Tools for a client without views; tools that only views may call are omitted. */
function withoutViews(tools: Listed["tools"]): Listed["tools"] {
  return tools
    .filter((tool) => isVisibleTo(tool, "model"))
    .map(({ _meta, ...tool }) => {
      const { ui: _ui, [RESOURCE_URI_META_KEY]: _uri, [VIEW_PROBLEM_KEY]: _problem, ...meta } = _meta ?? {};
      return Object.keys(meta).length > 0 ? { ...tool, _meta: meta } : tool;
    });
}
