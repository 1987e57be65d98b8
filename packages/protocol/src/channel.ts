/**
 * The smallest JSON-RPC 2.0 channel, with only the features that the smallest view needs. {@link Peer} is the
 * full one.
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

/** Called for each notification of its method. */
export type Listener<M extends NotificationMethod> = (params: Params<M>) => unknown;

/** A pending request of this side. */
export interface Call {
  answer: Promise<unknown>;
  /** Restarts the timeout. */
  wait(): void;
  /** Settles the request: with an error, or with the result if `error` is false. */
  settle(error: Error | false, result?: unknown): void;
}

export type AnyFunction = (params: unknown, context?: unknown) => unknown;

/** The longest timeout, 11 days. A timer with a longer delay overflows and fires immediately. */
const LONGEST = 1e9;

/**
 * A side of a JSON-RPC channel, typed by that side: requests and notifications in both directions, and
 * timeouts. Use {@link Peer} unless every byte counts. A channel assumes that handlers do not throw and that
 * the other side sends valid messages; it reports listener errors to the window.
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
  /** Called for every notification, before its listeners. */
  onnotification: ((method: string, params: object) => void) | undefined;
  /** Called once when either side has closed the channel. */
  onclose: (() => void) | undefined;
  readonly #handlers = new Map<string, AnyFunction>([["ping", () => ({})]]);
  readonly #listeners = new Map<string, Set<AnyFunction>>();
  readonly #calls = new Map<unknown, Call>();
  #transport: Transport | undefined;
  /**
   * Starts at the current time, so that a late answer to this frame's previous document matches no request of
   * this one.
   */
  protected nextId = Date.now();

  /** Opens the channel, closing the previous transport if there was one. Handlers and listeners stay. */
  open(transport: Transport): this {
    this.close();
    this.#transport = transport;
    transport.start(
      (message) => this.receive(message),
      () => this.close(),
    );
    return this;
  }

  /** Closes the channel. Pending requests reject with code `closed`. */
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
   * @throws {VitrineError} `closed`, or the transport's error if it cannot send the message
   */
  notify<M extends NotificationFrom<S>>(method: M, params: Params<M>): void {
    this.post({ method, params });
  }

  /**
   * Handles a request. Each method has one handler: the last one set. Returns a function that removes the
   * handler.
   */
  handle<M extends RequestFrom<OtherSide<S>>>(method: M, handler: Handler<M, Context>): () => unknown {
    this.#handlers.set(method, handler as AnyFunction);
    return () => this.#handlers.get(method) === handler && this.#handlers.delete(method);
  }

  /**
   * Adds a notification listener. Listeners run in the order they were added. Returns a function that removes
   * the listener.
   */
  on<M extends NotificationFrom<OtherSide<S>>>(method: M, listener: Listener<M>): () => void {
    let listeners = this.#listeners.get(method);
    if (!listeners) this.#listeners.set(method, (listeners = new Set()));
    listeners.add(listener as AnyFunction);
    return () => listeners.delete(listener as AnyFunction);
  }

  /** Whether this listener is registered. */
  hasListener(method: string, listener: unknown): boolean | undefined {
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
      // If sending fails, the request rejects and is never pending.
      this.post({ id, method, params });
      this.#calls.set(id, call);
      call.wait();
    });
    return call;
  }

  protected receive(data: unknown): void {
    const { id, method, params = {}, result, error }: Record<string, unknown> = Object(data);
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

  /** Runs the handler and returns the answer without its id. */
  protected async answer(method: string, params: object, context?: unknown): Promise<object> {
    const handler = this.#handlers.get(method);
    return handler
      ? { result: (await handler(params, context)) ?? {} }
      : { error: { code: METHOD_NOT_FOUND, message: "Method not found" } };
  }

  /** Calls a listener. An error in it, thrown now or later, does not affect other listeners. */
  listen(listener: AnyFunction, params: unknown): void {
    (async () => listener(params))().catch((cause) => this.failed(cause));
  }

  /** Reports a listener's error to the window, as the DOM does. */
  protected failed(cause: unknown): void {
    queueMicrotask(() => {
      throw cause;
    });
  }

  protected post(message: object): void {
    if (!this.#transport) throw closedError();
    this.#transport.send({ jsonrpc: "2.0", ...message });
  }

  /** Ignores invalid messages and answers to unknown requests. Subclasses may report them. */
  protected refuse(_code: "malformed" | "unknown-response", _data?: unknown): void {}
}

const closedError = (): VitrineError => new VitrineError("closed", "not connected");
