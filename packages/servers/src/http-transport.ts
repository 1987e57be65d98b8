/**
 * Streamable HTTP in which every request ends.
 *
 * @module
 */
import {
  type FetchLike,
  isJSONRPCErrorResponse,
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  SdkHttpError,
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
  type Transport,
  type TransportSendOptions,
} from "@modelcontextprotocol/client";
import { recordOf } from "@vitrine/protocol";
import { GATEWAY_ERROR } from "@vitrine/wire";
import { NoticeStream } from "./notice-stream.js";
import { withTraceHeader } from "./trace-header.js";
import type { WireTap } from "./wire-tap.js";

/** Options of {@link HttpTransport}. */
export interface HttpTransportOptions extends Pick<StreamableHTTPClientTransportOptions, "authProvider"> {
  fetch: FetchLike;
  /** See {@link RECONNECTION}. */
  reconnection?: Partial<typeof RECONNECTION> | undefined;
  /** Shows every message. */
  tap?: WireTap | undefined;
}

/** How cut event streams are reopened; see `StreamableHTTPReconnectionOptions`. */
const RECONNECTION = {
  initialReconnectionDelay: 500,
  maxReconnectionDelay: 30_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 6,
};

/** The `data` of errors created here. Compared by identity, so that no server can forge it. */
export const ANSWER_LOST = Object.freeze({ code: "server-exited" });

/**
 * Milliseconds that a server may take to accept a message whose answer changes nothing: a cancellation, or the end
 * of its session.
 */
const GOODBYE = 1_000;

/**
 * Wraps the official transport, which leaves two cases open. A request whose event stream was cut and cannot
 * be resumed would wait until its timeout: here it gets an error at once. A cancelled request keeps its event
 * stream: here the stream is closed. Answers to unknown requests are dropped.
 *
 * The stream of the server's own messages is reopened for as long as the session lasts; see {@link onstream}.
 */
export class HttpTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport["onmessage"];
  readonly hasPerRequestStream = true;
  /** Receives what happens to the stream of the server's own messages after it was cut. */
  onstream?: (event: "reopened" | "lost") => void;
  readonly #inner: StreamableHTTPClientTransport;
  readonly #notices: NoticeStream;
  readonly #tap: WireTap | undefined;
  readonly #waiting = new Map<string | number, AbortController>();
  /** The last event of each response stream, by request. */
  readonly #lastEvents = new Map<string | number, string>();

  constructor(url: URL, options: HttpTransportOptions) {
    const { fetch, reconnection, tap, ...rest } = options;
    this.#tap = tap;
    const reconnectionOptions = { ...RECONNECTION, ...reconnection };
    const inner = new StreamableHTTPClientTransport(url, {
      ...rest,
      reconnectionOptions,
      fetch: (target, init) =>
        this.#isForNotices(init)
          ? this.#notices.watch(() => fetch(target, init))
          : fetch(target, withTraceHeader(init)),
    });
    this.#inner = inner;
    this.#notices = new NoticeStream({
      // Without the id of an event, this is a new stream.
      open: () => inner.resumeStream(""),
      retries: reconnectionOptions.maxRetries,
      pause: reconnectionOptions.maxReconnectionDelay,
      onchange: (event) => this.onstream?.(event),
    });
    inner.onclose = () => this.onclose?.();
    inner.onerror = (error) => this.onerror?.(error);
    inner.onmessage = (message) => {
      if (tap?.isWatched) tap.take({ direction: "received", message });
      if (!("method" in message) && (message.id === undefined || !this.#forget(message.id))) return;
      this.onmessage?.(message);
    };
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  get size(): number {
    return this.#waiting.size;
  }

  setProtocolVersion = (version: string): void => this.#inner.setProtocolVersion(version);

  start(): Promise<void> {
    return this.#inner.start();
  }

  /** Ends the server's session, if it has one. Does not wait long for a server that does not respond. */
  async leave(): Promise<void> {
    const late = new Promise<void>((resolve) => setTimeout(resolve, GOODBYE).unref());
    await Promise.race([this.#inner.terminateSession().catch(() => {}), late]);
  }

  close(): Promise<void> {
    this.#notices.close();
    for (const stop of this.#waiting.values()) stop.abort();
    this.#waiting.clear();
    this.#lastEvents.clear();
    return this.#inner.close();
  }

  async send(message: JSONRPCMessage, options: TransportSendOptions = {}): Promise<void> {
    if (this.#tap?.isWatched) this.#tap.take({ direction: "sent", message });
    if (!("method" in message)) return await this.#inner.send(message, options);
    if (!("id" in message)) {
      if (message.method !== "notifications/cancelled") return await this.#inner.send(message, options);
      // First: a server that hangs does not accept the notification either, and would keep both connections.
      this.#cancel(message.params?.["requestId"]);
      return await this.#inner.send(message, { ...options, requestSignal: AbortSignal.timeout(GOODBYE) });
    }
    const { id } = message;
    const stop = new AbortController();
    this.#waiting.set(id, stop);
    const { requestSignal, onRequestStreamEnd, onresumptiontoken } = options;
    const end = (): void => this.#cancel(id);
    requestSignal?.addEventListener("abort", end, { once: true });
    try {
      await this.#inner.send(message, {
        ...options,
        requestSignal: stop.signal,
        onresumptiontoken: (token) => {
          onresumptiontoken?.(token);
          if (this.#waiting.has(id)) this.#lastEvents.set(id, token);
        },
        onRequestStreamEnd: () => {
          onRequestStreamEnd?.();
          this.#lose(id);
        },
      });
    } catch (error) {
      const isWaiting = this.#forget(id);
      // With a session, the status means that the session has ended; the handshake interprets it itself.
      const isHandshake = /^(initialize|server\/discover)$/.test(message.method);
      const answer = this.sessionId === undefined && !isHandshake ? errorIn(error, id) : undefined;
      if (!answer) throw error;
      if (this.#tap?.isWatched) this.#tap.take({ direction: "received", message: answer });
      if (isWaiting) this.onmessage?.(answer);
    }
  }

  #cancel(id: unknown): void {
    if (typeof id !== "string" && typeof id !== "number") return;
    this.#waiting.get(id)?.abort();
    this.#forget(id);
  }

  /** Returns whether the request was waiting for its answer. */
  #forget(id: string | number): boolean {
    this.#lastEvents.delete(id);
    return this.#waiting.delete(id);
  }

  /** Whether a request opens the stream of the server's own messages. Others resume a response stream, or are for OAuth. */
  #isForNotices(init: RequestInit | undefined): boolean {
    const headers = new Headers(init?.headers);
    if (init?.method !== "GET" || !headers.get("accept")?.includes("text/event-stream")) return false;
    const event = headers.get("last-event-id");
    return event === null || ![...this.#lastEvents.values()].includes(event);
  }

  #lose(id: string | number): void {
    if (!this.#forget(id)) return;
    const error = {
      code: GATEWAY_ERROR,
      message: "the connection was cut before the answer",
      data: ANSWER_LOST,
    };
    this.onmessage?.({ jsonrpc: "2.0", id, error });
  }
}

/** The server's own error in an answer with HTTP 404, the status of methods that a server does not know. */
function errorIn(error: unknown, id: string | number): JSONRPCErrorResponse | undefined {
  if (!(error instanceof SdkHttpError) || error.status !== 404) return undefined;
  const { text } = recordOf(error.data);
  try {
    const message: unknown = JSON.parse(String(text));
    return isJSONRPCErrorResponse(message) && message.id === id ? message : undefined;
  } catch {
    return undefined;
  }
}
