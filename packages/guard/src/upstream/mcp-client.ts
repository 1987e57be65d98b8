/**
 * The official MCP clients, versions 1 and 2, as {@link clientUpstream} uses them.
 *
 * @module
 */
import { type Params, type Progress, type Result, recordOf, VitrineError } from "@vitrine/protocol";
import type { ListenFilter, ListenStream } from "./listen-streams.js";
import type { ServerCapabilities, UpstreamMethod } from "./upstream.js";

/** Options that the client takes with a request. */
export interface ClientRequestOptions {
  signal?: AbortSignal;
  onprogress?: (progress: Progress) => void;
  resetTimeoutOnProgress?: boolean;
  timeout?: number;
  maxTotalTimeout?: number;
}

type Ask<P> = (params: P, options?: ClientRequestOptions) => Promise<object>;

interface ClientOfAnyVersion {
  listTools: Ask<Params<"tools/list">>;
  readResource: Ask<Params<"resources/read">>;
  listResources: Ask<Params<"resources/list">>;
  listResourceTemplates: Ask<Params<"resources/templates/list">>;
  subscribeResource: Ask<Params<"resources/subscribe">>;
  unsubscribeResource: Ask<Params<"resources/unsubscribe">>;
  listPrompts: Ask<Params<"prompts/list">>;
  getPrompt: Ask<Params<"prompts/get">>;
  getServerCapabilities(): ServerCapabilities | undefined;
  readonly transport?: ClientTransport | undefined;
  /** Called with errors of {@link Upstream.listen} listeners, like those of the client's own handlers. */
  onerror?: ((error: Error) => void) | undefined;
}

/**
 * The part of a client that {@link clientUpstream} needs: `Client` of `@modelcontextprotocol/client` 2 has
 * it. Declared structurally, so that a host without the SDK does not load it.
 */
export interface McpClient extends ClientOfAnyVersion {
  callTool: Ask<Params<"tools/call">>;
  /** `modern` from revision 2026-07-28 on, in which a server sends notifications only on request. */
  getProtocolEra(): string | undefined;
  listen?(filter: ListenFilter): Promise<ListenStream>;
}

/** The same part of `Client` of `@modelcontextprotocol/sdk` 1. */
export interface McpClientV1 extends ClientOfAnyVersion {
  callTool(
    params: Params<"tools/call">,
    resultSchema?: undefined,
    options?: ClientRequestOptions,
  ): Promise<object>;
  getProtocolEra?: undefined;
  listen?: undefined;
}

/** The part of a client's transport that {@link clientUpstream} needs. */
export interface ClientTransport {
  onmessage?: ((message: never, extra?: never) => void) | undefined;
}

/** The client's function for each method. */
const ASKS = {
  "tools/call": "callTool",
  "tools/list": "listTools",
  "resources/read": "readResource",
  "resources/list": "listResources",
  "resources/templates/list": "listResourceTemplates",
  "resources/subscribe": "subscribeResource",
  "resources/unsubscribe": "unsubscribeResource",
  "prompts/list": "listPrompts",
  "prompts/get": "getPrompt",
} as const satisfies Record<UpstreamMethod, keyof McpClient>;

/** Whether a client can send this method. */
export const isAskable = (method: string): method is UpstreamMethod => Object.hasOwn(ASKS, method);

/** Sends a request with a client of either version. */
export async function askClient<M extends UpstreamMethod>(
  client: McpClient | McpClientV1,
  method: M,
  params: Params<M>,
  options: ClientRequestOptions,
): Promise<Result<M>> {
  // Version 1 has a schema for the result between the two, in this function only.
  if (method === "tools/call" && isVersion1(client)) {
    return (await client.callTool(params as Params<"tools/call">, undefined, options)) as Result<M>;
  }
  const send = client[ASKS[method]].bind(client) as Ask<Params<M>>;
  return (await send(params, options)) as Result<M>;
}

const isVersion1 = (client: McpClient | McpClientV1): client is McpClientV1 =>
  client.getProtocolEra === undefined;

/**
 * The client checks a result against the tool's output schema after the tool ran. Its error looks like the
 * server's.
 */
const UNFIT_RESULT = /has an output schema but did not return|structured content/i;

/** The upstream's error for an error of a client: the client's own get codes of ours, the server's keep theirs. */
export function readClientError(error: unknown, method: string, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return new VitrineError("aborted", "the request was aborted", { cause: error });
  // A tool that did not answer, or whose answer is unusable, may have run.
  const options = { cause: error, data: { indeterminate: method === "tools/call" } };
  const { code, message, data } = readError(error);
  if (code === "REQUEST_TIMEOUT")
    return new VitrineError("timeout", "the server did not answer in time", options);
  if (code === "INVALID_RESULT")
    return new VitrineError("invalid", `the result of ${method} is invalid`, options);
  if (method === "tools/call" && UNFIT_RESULT.test(message))
    return new VitrineError("invalid", message, options);
  if (code === "CONNECTION_CLOSED" || code === "NOT_CONNECTED") return notConnected(error);
  return typeof code === "number" && message !== messageOf(error)
    ? new VitrineError(code, message, { cause: error, data })
    : error;
}

/** The error of a request without a connection. */
export const notConnected = (cause?: unknown): VitrineError =>
  new VitrineError("closed", "the server is not connected", { cause });

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : "");

/**
 * An error as version 2 has it: the client's own errors have string codes, the server's have numbers. Version 1 has
 * numbers for both, and writes them before every message.
 */
function readError(error: unknown): { code: unknown; message: string; data?: unknown } {
  const { code, data, name, issues } = recordOf(error);
  const message = messageOf(error);
  if (name === "McpError") {
    const text = message.replace(`MCP error ${code}: `, "");
    if (code === -32001 && /timed out|timeout exceeded/.test(text) && "timeout" in recordOf(data))
      return { code: "REQUEST_TIMEOUT", message: text };
    if (code === -32000 && text === "Connection closed") return { code: "CONNECTION_CLOSED", message: text };
    return { code, message: text, data };
  }
  if (message === "Not connected") return { code: "NOT_CONNECTED", message };
  // The schema library's own error.
  if (code === undefined && Array.isArray(issues)) return { code: "INVALID_RESULT", message };
  return { code, message, data };
}
