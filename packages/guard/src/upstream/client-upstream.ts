/**
 * A server behind the official MCP client, as an {@link Upstream}.
 *
 * @module
 */
import { METHOD_NOT_FOUND, type Params, type Result, recordOf, VitrineError } from "@vitrine/protocol";
import { type ListenFilter, ListenStreams } from "./listen-streams.js";
import {
  askClient,
  type ClientTransport,
  isAskable,
  type McpClient,
  type McpClientV1,
  notConnected,
  readClientError,
} from "./mcp-client.js";
import type { Upstream, UpstreamMethod, UpstreamNotification, UpstreamRequestOptions } from "./upstream.js";

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

type Listener = (method: UpstreamNotification, params: Record<string, unknown>) => void;

/**
 * The server of an official client, for any number of views: `Client` of `@modelcontextprotocol/client` 2 or of
 * `@modelcontextprotocol/sdk` 1.
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
export function clientUpstream(client: McpClient | McpClientV1, options: ClientUpstreamOptions): Upstream {
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
    return askClient(client, method, params, {
      timeout,
      resetTimeoutOnProgress: true,
      ...(signal && { signal }),
      ...(progress && { onprogress: progress }),
    });
  };

  return {
    server,
    get capabilities() {
      return client.getServerCapabilities() ?? {};
    },
    async request(method, params, requestOptions = {}) {
      if (!isAskable(method)) throw new VitrineError(METHOD_NOT_FOUND, "Method not found");
      // The client's own lists would be empty, which would be wrong.
      if (!client.transport) throw notConnected();
      tap();
      if (listeners.size > 0 && isModern()) listenToLists();
      try {
        return await ask(method, params, requestOptions);
      } catch (error) {
        throw readClientError(error, method, requestOptions.signal);
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
