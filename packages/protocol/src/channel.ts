/**
 * JSON-RPC 2.0 at its smallest: what the smallest view needs, and no more. {@link Peer} is the whole.
 *
 * @module
 */
import { type ErrorCode, INTERNAL_ERROR, METHOD_NOT_FOUND, VitrineError } from "./errors.js";
import type { RequestId } from "./mcp.js";
import type {
  NotificationFrom,
  NotificationMethod,
  OtherSide,
  Params,
  RequestFrom,
  Result,
  Side,
} from "./methods.js";
import { isObject } from "./schema.js";
import type { Transport } from "./transport.js";

/** Options of one request on a {@link Channel}. */
export interface ChannelRequestOptions {
  /** Milliseconds to wait for the answer; 60 000 by default, 0 for no limit. */
  timeout?: number | undefined;
}

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
 * timeouts. Use {@link Peer}, unless every byte counts.
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
export class Channel<S extends Side = Side> {
  /** Hears what was odd and survived: see {@link ErrorCode}. It never holds a payload. */
  onreport: ((error: VitrineError) => void) | undefined;
  /** Hears every notification, before its listeners. */
  onnotification: ((method: string, params: object) => void) | undefined;
  /** Called once when the channel has closed, by either end. */
  onclose: (() => void) | undefined;
  readonly #handlers = new Map<string, AnyFunction>([["ping", () => ({})]]);
  readonly #listeners = new Map<string, Set<AnyFunction>>();
  readonly #calls = new Map<unknown, Call>();
  #transport: Transport | undefined;
  protected nextId = 0;

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
   * @throws {VitrineError} `closed`, or `send-failed` when the transport cannot carry it
   */
  notify<M extends NotificationFrom<S>>(method: M, params: Params<M>): void {
    const failure = this.post({ method, params });
    if (failure) throw failure;
  }

  /**
   * Serves a request; one handler per method. It answers with a result, or throws ({@link VitrineError} with
   * a number to choose the number). Call what this returns to stop serving.
   */
  handle<M extends RequestFrom<OtherSide<S>>>(
    method: M,
    handler: (params: Params<M>) => Result<M> | Promise<Result<M>>,
  ): () => void {
    this.#handlers.set(method, handler as AnyFunction);
    return () => this.#handlers.delete(method);
  }

  /** Hears a notification; any number of listeners, called in the order they came. */
  on<M extends NotificationFrom<OtherSide<S>>>(method: M, listener: Listener<M>): () => void {
    let listeners = this.#listeners.get(method);
    if (!listeners) this.#listeners.set(method, (listeners = new Set()));
    listeners.add(listener as AnyFunction);
    return () => listeners.delete(listener as AnyFunction);
  }

  protected call(id: number, method: string, params: object, timeout = 60_000): Call {
    const call = {} as Call;
    this.#calls.set(id, call);
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
      call.wait();
      const failure = this.post({ id, method, params });
      if (failure) call.settle(failure);
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
      else this.report("unknown-response");
    } else this.refuse(data);
  }

  protected notified(method: string, params: Record<string, unknown>): void {
    this.onnotification?.(method, params);
    for (const listener of [...(this.#listeners.get(method) ?? [])]) this.listen(listener, params);
  }

  protected async serve(id: RequestId, method: string, params: Record<string, unknown>): Promise<void> {
    this.post({ id, ...(await this.answer(method, params)) });
  }

  /** What the handler makes of a request: the part of the answer beside its id. */
  protected async answer(method: string, params: object, context?: unknown): Promise<object> {
    try {
      const handler = this.#handlers.get(method);
      if (!handler) throw new VitrineError(METHOD_NOT_FOUND, "Method not found");
      return { result: (await handler(params, context)) ?? {} };
    } catch (thrown) {
      const { code, message = `${thrown}`, data } = Object(thrown) as Partial<VitrineError>;
      return { error: { code: Number(code) || INTERNAL_ERROR, message, data } };
    }
  }

  /** Calls a listener; what it throws, now or later, is reported and stops nobody else (D19). */
  protected listen(listener: AnyFunction, params: unknown): void {
    (async () => listener(params))().catch((cause) => this.report("listener-failed", cause));
  }

  /** Sends a message; an error is returned, not thrown. */
  protected post(message: object): VitrineError | undefined {
    if (!this.#transport) return closedError();
    try {
      this.#transport.send({ jsonrpc: "2.0", ...message });
      return undefined;
    } catch (cause) {
      return this.report("send-failed", cause);
    }
  }

  protected report(code: ErrorCode, cause?: unknown): VitrineError {
    const error = new VitrineError(code, String(cause ?? code), { cause });
    this.onreport?.(error);
    return error;
  }

  /** Survives what is no message. */
  protected refuse(_data: unknown): void {
    this.report("malformed");
  }
}

const closedError = (): VitrineError => new VitrineError("closed", "not connected");
