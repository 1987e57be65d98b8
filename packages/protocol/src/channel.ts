/**
 * JSON-RPC 2.0 at its smallest: what the smallest view needs, and no more. {@link Peer} is the whole.
 *
 * @module
 */
import type { Side } from "./end.js";
import { METHOD_NOT_FOUND, VitrineError } from "./errors.js";
import type { RequestId } from "./mcp.js";
import type {
  NotificationFrom,
  NotificationMethod,
  OtherSide,
  Params,
  RequestFrom,
  RequestMethod,
  Result,
} from "./methods.js";
import { isObject } from "./schema.js";
import type { Transport } from "./transport.js";

/** Options of one request on a {@link Channel}. */
export interface ChannelRequestOptions {
  /** Milliseconds to wait for the answer; 60 000 by default, 0 for no limit. */
  timeout?: number | undefined;
}

/** A request's handler. */
export type Handler<M extends RequestMethod, Context = unknown> = (
  params: Params<M>,
  context: Context,
) => Result<M> | Promise<Result<M>>;

/** Hears a notification. */
export type Listener<M extends NotificationMethod> = (params: Params<M>) => unknown;

/** A request of ours that waits for its answer. */
export interface Call {
  answer: Promise<unknown>;
  /** Starts the timeout anew. */
  wait(): void;
  /** Ends the wait: with an error, or else with the result. */
  settle(error: Error | false, result?: unknown): void;
}

export type AnyFunction = (params: unknown, context?: unknown) => unknown;

/** The longest timeout, 11 days: a timer that is set for longer than it can count fires at once. */
const LONGEST = 1e9;

/**
 * One end of a JSON-RPC channel, typed by the side it is on: requests and notifications both ways, and
 * timeouts. Use {@link Peer}, unless every byte counts: a channel trusts its handlers not to throw and the other
 * end to make sense, and reports what a listener threw to the window.
 *
 * @example
 * ```ts source="./protocol.examples.ts#channel"
 * const channel = new Channel<"view">();
 * channel.on("ui/notifications/tool-cancelled", ({ reason }) => {
 *   document.title = `Cancelled: ${reason ?? "no reason given"}`;
 * });
 * channel.open(transport);
 * const { mode } = await channel.request("ui/request-display-mode", { mode: "fullscreen" });
 * ```
 */
export class Channel<S extends Side = Side, Context = unknown> {
  /** Hears every notification, before its listeners. */
  onnotification: ((method: string, params: object) => void) | undefined;
  /** Called once when the channel has closed, by either end. */
  onclose: (() => void) | undefined;
  readonly #handlers = new Map<string, AnyFunction>([["ping", () => ({})]]);
  readonly #listeners = new Map<string, Set<AnyFunction>>();
  readonly #calls = new Map<unknown, Call>();
  #transport: Transport | undefined;
  /** Counts from now: an answer that this frame's last document still waited for must not be taken by this one. */
  protected nextId = Date.now();

  /** Opens the channel; one that was open is closed. Handlers and listeners stay. */
  open(transport: Transport): this {
    this.close();
    this.#transport = transport;
    transport.start(
      (message) => this.receive(message),
      () => this.close(),
    );
    return this;
  }

  /** Closes the channel: what waits rejects with code `closed`. */
  close(): void {
    if (!this.#transport) return;
    this.#transport.close();
    this.#transport = undefined;
    for (const call of this.#calls.values()) call.settle(closedError());
    this.onclose?.();
  }

  /** Sends a request and waits for its answer. */
  request<M extends RequestFrom<S>>(
    method: M,
    params: Params<M>,
    options?: ChannelRequestOptions,
  ): Promise<Result<M>> {
    return this.call(this.nextId++, method, params, options?.timeout).answer as Promise<Result<M>>;
  }

  /**
   * Sends a notification.
   *
   * @throws {VitrineError} `closed`, and whatever the transport throws at what it cannot carry
   */
  notify<M extends NotificationFrom<S>>(method: M, params: Params<M>): void {
    this.post({ method, params });
  }

  /**
   * Serves a request; one handler per method, the last one. Call what this returns to stop serving.
   */
  handle<M extends RequestFrom<OtherSide<S>>>(method: M, handler: Handler<M, Context>): () => unknown {
    this.#handlers.set(method, handler as AnyFunction);
    return () => this.#handlers.get(method) === handler && this.#handlers.delete(method);
  }

  /** Hears a notification; any number of listeners, called in the order they came. */
  on<M extends NotificationFrom<OtherSide<S>>>(method: M, listener: Listener<M>): () => void {
    let listeners = this.#listeners.get(method);
    if (!listeners) this.#listeners.set(method, (listeners = new Set()));
    listeners.add(listener as AnyFunction);
    return () => listeners.delete(listener as AnyFunction);
  }

  /** Whether a listener is there. */
  hears(method: string, listener: unknown): boolean | undefined {
    return this.#listeners.get(method)?.has(listener as AnyFunction);
  }

  protected call(id: number, method: string, params: object, timeout = 60_000): Call {
    const call = {} as Call;
    call.answer = new Promise((resolve, reject) => {
      let timer: ReturnType<typeof setTimeout>;
      call.settle = (error, result) => {
        this.#calls.delete(id);
        clearTimeout(timer);
        if (error) reject(error);
        else resolve(result);
      };
      const expire = (): void => call.settle(new VitrineError("timeout", `${method} timed out`));
      call.wait = () => {
        clearTimeout(timer);
        if (timeout) timer = setTimeout(expire, Math.min(timeout, LONGEST));
      };
      // What cannot be sent rejects, and waits for nothing.
      this.post({ id, method, params });
      this.#calls.set(id, call);
      call.wait();
    });
    return call;
  }

  protected receive(data: unknown): void {
    const { id, method, params = {}, result, error } = Object(data) as Record<string, unknown>;
    if (typeof method === "string" && isObject(params)) {
      if (id === undefined) this.notified(method, params);
      else this.serve(id as RequestId, method, params);
    } else if (isObject(error) || result !== undefined) {
      const call = this.#calls.get(id);
      const refusal = isObject(error) && new VitrineError(Number(error.code), `${error.message}`, error);
      if (call) call.settle(refusal, result);
      else this.refuse("unknown-response");
    } else this.refuse("malformed", data);
  }

  protected notified(method: string, params: Record<string, unknown>): void {
    this.listen(() => this.onnotification?.(method, params), params);
    for (const listener of [...(this.#listeners.get(method) ?? [])]) this.listen(listener, params);
  }

  protected async serve(id: RequestId, method: string, params: Record<string, unknown>): Promise<void> {
    this.post({ id, ...(await this.answer(method, params)) });
  }

  /** What the handler makes of a request: the part of the answer beside its id. */
  protected async answer(method: string, params: object, context?: unknown): Promise<object> {
    const handler = this.#handlers.get(method);
    return handler
      ? { result: (await handler(params, context)) ?? {} }
      : { error: { code: METHOD_NOT_FOUND, message: "Method not found" } };
  }

  /** Calls a listener; what it throws, now or later, stops nobody else (D19). */
  listen(listener: AnyFunction, params: unknown): void {
    (async () => listener(params))().catch((cause) => this.failed(cause));
  }

  /** A listener threw: as in the DOM, the window hears it. */
  protected failed(cause: unknown): void {
    queueMicrotask(() => {
      throw cause;
    });
  }

  protected post(message: object): void {
    if (!this.#transport) throw closedError();
    this.#transport.send({ jsonrpc: "2.0", ...message });
  }

  /** Survives what is no message, or no answer to anything. */
  protected refuse(_code: "malformed" | "unknown-response", _data?: unknown): void {}
}

const closedError = (): VitrineError => new VitrineError("closed", "not connected");
