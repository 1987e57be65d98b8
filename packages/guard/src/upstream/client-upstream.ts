/**
 * A server behind the official MCP client, as an {@link Upstream}.
 *
 * @module
 */
import {
  METHOD_NOT_FOUND,
  type Params,
  type Progress,
  type Result,
  recordOf,
  VitrineError,
} from "@vitrine/protocol";
import { type ListenFilter, type ListenStream, ListenStreams } from "./listen-streams.js";
import type {
  ServerCapabilities,
  Upstream,
  UpstreamMethod,
  UpstreamNotification,
  UpstreamRequestOptions,
} from "./upstream.js";

/** Options that the client takes with a request. */
export interface ClientRequestOptions {
  signal?: AbortSignal;
  onprogress?: (progress: Progress) => void;
  resetTimeoutOnProgress?: boolean;
  timeout?: number;
  maxTotalTimeout?: number;
}

type Ask<P> = (params: P, options?: ClientRequestOptions) => Promise<object>;

/**
 * The part of a client that {@link clientUpstream} needs: `Client` of `@modelcontextprotocol/client` 2 has
 * it. Declared structurally, so that a host without the SDK does not load it.
 */
export interface McpClient {
  callTool: Ask<Params<"tools/call">>;
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
  /** `modern` from revision 2026-07-28 on, in which a server sends notifications only on request. */
  getProtocolEra?(): string | undefined;
  listen?(filter: ListenFilter): Promise<ListenStream>;
}

interface ClientTransport {
  onmessage?: ((message: never, extra?: never) => void) | undefined;
}

/** Options of {@link clientUpstream}. */
export interface ClientUpstreamOptions {
  /** See {@link Upstream.server}. */
  server: string;
  /**
   * Milliseconds without an answer or progress after which a request times out; 60 000 by default. A tool
   * that reports progress may take any time.
   */
  timeout?: number | undefined;
}

const HEARD: readonly string[] = [
  "notifications/tools/list_changed",
  "notifications/resources/list_changed",
  "notifications/resources/updated",
  "notifications/prompts/list_changed",
] satisfies UpstreamNotification[];

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

type Listener = (method: UpstreamNotification, params: Record<string, unknown>) => void;

/**
 * The server of an official client, for any number of views.
 *
 * It leaves the client's notification handlers, `listChanged` options and `fallbackNotificationHandler`
 * unchanged; they may also be set later. It listens beside them, on the client's transport
 * (`transport.onmessage` is wrapped, and the original is called first). After a reconnection of the client,
 * it listens again from the next request or listener on.
 *
 * @example
 * ```ts source="../service.examples.ts#clientUpstream"
 * const client = new Client({ name: "my-chat", version: "1.0.0" });
 * await client.connect(transport);
 * const upstream = clientUpstream(client, { server: "weather" });
 * ```
 */
export function clientUpstream(client: McpClient, options: ClientUpstreamOptions): Upstream {
  const { server, timeout = 60_000 } = options;
  const listeners = new Set<Listener>();
  let tapped: ClientTransport | undefined;

  const hear = (message: unknown): void => {
    const { method, params } = recordOf(message);
    if (!HEARD.includes(method as string)) return;
    for (const listener of [...listeners]) {
      // An error stops neither other listeners nor the client, which has a handler for such errors.
      try {
        listener(method as UpstreamNotification, recordOf(params));
      } catch (error) {
        client.onerror?.(error as Error);
      }
    }
  };
  /** Listens on the client's current transport. */
  const tap = (): void => {
    const { transport } = client;
    if (!transport || transport === tapped) return;
    tapped = transport;
    streams.clear();
    const before = transport.onmessage as ((...args: unknown[]) => void) | undefined;
    transport.onmessage = (...args: unknown[]) => {
      before?.apply(transport, args);
      if (transport === tapped) hear(args[0]);
    };
  };
  const isModern = (): boolean => client.getProtocolEra?.() === "modern" && client.listen !== undefined;
  /**
   * A server of revision 2026-07-28 sends notifications only while a stream is open; earlier ones need none.
   */
  const streams = new ListenStreams({
    open: async (filter) => {
      if (!client.listen || client.transport !== tapped) throw notConnected();
      return client.listen(filter);
    },
    onreopened: (filter) => {
      for (const message of missed(filter)) hear(message);
    },
    onerror: (error) => client.onerror?.(error as Error),
  });
  const listenToLists = (): void => {
    const { tools, prompts, resources } = client.getServerCapabilities() ?? {};
    const filter = {
      ...(tools?.listChanged && { toolsListChanged: true }),
      ...(prompts?.listChanged && { promptsListChanged: true }),
      ...(resources?.listChanged && { resourcesListChanged: true }),
    };
    // Without the stream, the lists are like those of a server without change notifications.
    if (Object.keys(filter).length > 0) streams.open("", filter).catch(() => {});
  };

  const ask = async <M extends UpstreamMethod>(
    method: M,
    params: Params<M>,
    { signal, onprogress }: UpstreamRequestOptions,
  ): Promise<Result<M>> => {
    const { uri } = params as { uri?: string };
    if (uri !== undefined && method.endsWith("subscribe") && isModern()) {
      if (method === "resources/subscribe") await streams.open(uri, { resourceSubscriptions: [uri] });
      else await streams.close(uri);
      return {} as Result<M>;
    }
    // Always requests progress, which keeps a long call alive.
    const progress = onprogress ?? (method === "tools/call" ? () => {} : undefined);
    const send = client[ASKS[method]].bind(client) as Ask<Params<M>>;
    return (await send(params, {
      timeout,
      resetTimeoutOnProgress: true,
      ...(signal && { signal }),
      ...(progress && { onprogress: progress }),
    })) as Result<M>;
  };

  return {
    server,
    get capabilities() {
      return client.getServerCapabilities() ?? {};
    },
    async request(method, params, requestOptions = {}) {
      if (!Object.hasOwn(ASKS, method)) throw new VitrineError(METHOD_NOT_FOUND, "Method not found");
      // The client's own lists would be empty, which would be wrong.
      if (!client.transport) throw notConnected();
      tap();
      if (listeners.size > 0 && isModern()) listenToLists();
      try {
        return await ask(method, params, requestOptions);
      } catch (error) {
        throw translate(error, method, requestOptions.signal);
      }
    },
    listen(listener) {
      // Wrapped, so that the same function can listen twice and each stops separately.
      const own: Listener = (method, params) => listener(method, params);
      listeners.add(own);
      tap();
      if (isModern()) listenToLists();
      return () => {
        listeners.delete(own);
        if (listeners.size === 0) streams.close("").catch(() => {});
      };
    },
  };
}

/** Notifications that may have been missed while a stream was cut. */
const missed = (filter: ListenFilter): { method: UpstreamNotification; params: object }[] => [
  ...(filter.toolsListChanged ? [{ method: "notifications/tools/list_changed" as const, params: {} }] : []),
  ...(filter.promptsListChanged
    ? [{ method: "notifications/prompts/list_changed" as const, params: {} }]
    : []),
  ...(filter.resourcesListChanged
    ? [{ method: "notifications/resources/list_changed" as const, params: {} }]
    : []),
  ...(filter.resourceSubscriptions ?? []).map((uri) => ({
    method: "notifications/resources/updated" as const,
    params: { uri },
  })),
];

/**
 * The client checks a result against the tool's output schema after the tool ran. Its error looks like the
 * server's.
 */
const UNFIT_RESULT = /has an output schema but did not return|structured content/i;

/** The client's own errors have string codes; the server's have numbers, and pass unchanged. */
function translate(error: unknown, method: string, signal: AbortSignal | undefined): unknown {
  const { code } = recordOf(error);
  if (signal?.aborted) return new VitrineError("aborted", "the request was aborted", { cause: error });
  if (code === "REQUEST_TIMEOUT") {
    // A tool that did not answer may have run.
    const data = { indeterminate: method === "tools/call" };
    return new VitrineError("timeout", "the server did not answer in time", { cause: error, data });
  }
  if (method === "tools/call" && error instanceof Error && UNFIT_RESULT.test(error.message)) {
    return new VitrineError("invalid", error.message, { cause: error, data: { indeterminate: true } });
  }
  return code === "CONNECTION_CLOSED" || code === "NOT_CONNECTED" ? notConnected(error) : error;
}

const notConnected = (cause?: unknown): VitrineError =>
  new VitrineError("closed", "the server is not connected", { cause });
