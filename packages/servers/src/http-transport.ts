/**
 * Streamable HTTP in which every request ends.
 *
 * @module
 */
import type {
  JSONRPCMessage,
  StreamableHTTPClientTransport,
  Transport,
  TransportSendOptions,
} from "@modelcontextprotocol/client";
import { GATEWAY_ERROR } from "@vitrine/wire";

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
 */
export class HttpTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport["onmessage"];
  readonly hasPerRequestStream = true;
  readonly #inner: StreamableHTTPClientTransport;
  readonly #waiting = new Map<string | number, AbortController>();

  constructor(inner: StreamableHTTPClientTransport) {
    this.#inner = inner;
    inner.onclose = () => this.onclose?.();
    inner.onerror = (error) => this.onerror?.(error);
    inner.onmessage = (message) => {
      if (!("method" in message) && (message.id === undefined || !this.#waiting.delete(message.id))) return;
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
    for (const stop of this.#waiting.values()) stop.abort();
    this.#waiting.clear();
    return this.#inner.close();
  }

  async send(message: JSONRPCMessage, options: TransportSendOptions = {}): Promise<void> {
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
    const { requestSignal, onRequestStreamEnd } = options;
    const end = (): void => this.#cancel(id);
    requestSignal?.addEventListener("abort", end, { once: true });
    try {
      await this.#inner.send(message, {
        ...options,
        requestSignal: stop.signal,
        onRequestStreamEnd: () => {
          onRequestStreamEnd?.();
          this.#lose(id);
        },
      });
    } catch (error) {
      this.#waiting.delete(id);
      throw error;
    }
  }

  #cancel(id: unknown): void {
    if (typeof id !== "string" && typeof id !== "number") return;
    this.#waiting.get(id)?.abort();
    this.#waiting.delete(id);
  }

  #lose(id: string | number): void {
    if (!this.#waiting.delete(id)) return;
    const error = {
      code: GATEWAY_ERROR,
      message: "the connection was cut before the answer",
      data: ANSWER_LOST,
    };
    this.onmessage?.({ jsonrpc: "2.0", id, error });
  }
}
