import { type AnyFunction, Channel, type ChannelRequestOptions } from "./channel.js";
import { INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR, VitrineError } from "./errors.js";
import type { RequestId } from "./mcp.js";
import type { OtherSide, Params, RequestFrom, RequestMethod, Result, Side } from "./methods.js";
import { isObject } from "./schema.js";

/** How far a request has come. */
export interface Progress {
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
}

/** Options of one request. */
export interface RequestOptions extends ChannelRequestOptions {
  /** Aborts the request: the other end is told, and the promise rejects with code `aborted`. */
  signal?: AbortSignal | undefined;
  /**
   * Asks the other end for progress, and hears it. Each progress starts the timeout anew; for a limit in all
   * use `AbortSignal.timeout()`.
   */
  onprogress?: ((progress: Progress) => void) | undefined;
}

/** What a handler knows about the request it answers. */
export interface RequestContext {
  /** Id of the request. */
  requestId: RequestId;
  /** Aborted when the other end cancels, or the channel closes. */
  signal: AbortSignal;
  /** Reports progress; absent when the other end did not ask for it. */
  progress: ((progress: Progress) => void) | undefined;
}

/** A request's handler: answers with a result, or throws ({@link VitrineError} with a number to choose it). */
export type Handler<M extends RequestMethod> = (
  params: Params<M>,
  context: RequestContext,
) => Result<M> | Promise<Result<M>>;

/**
 * A JSON-RPC 2.0 peer: a {@link Channel} with cancellation and progress both ways, and an answer to everything. It survives whatever the
 * other end sends; only the envelope is checked, {@link CheckedPeer} also checks what is in it.
 *
 * @example
 * ```ts source="./protocol.examples.ts#peer"
 * const peer = new Peer<"view">();
 * peer.handle("tools/call", async ({ name }, context) => {
 *   context.progress?.({ progress: 1, total: 2 });
 *   context.signal.throwIfAborted();
 *   return { content: [{ type: "text", text: `${name} is done` }] };
 * });
 * peer.open(transport);
 * const result = await peer.request(
 *   "tools/call",
 *   { name: "search", arguments: { query: "tea" } },
 *   { signal, timeout: 5_000, onprogress: ({ progress, total }) => show(`${progress} of ${total}`) },
 * );
 * ```
 */
export class Peer<S extends Side = Side> extends Channel<S> {
  /** Their requests that are being served; a new map for each time the channel is open. */
  #running = new Map<unknown, AbortController>();
  /** What removes each handler. */
  readonly #handled = new Map<string, () => void>();
  /** Our requests that want to hear progress. A token is the request's own id, so no other can have it. */
  readonly #watched = new Map<unknown, (params: Record<string, unknown>) => void>();

  override async request<M extends RequestFrom<S>>(
    method: M,
    params: Params<M>,
    { signal, timeout, onprogress }: RequestOptions = {},
  ): Promise<Result<M>> {
    const aborted = (): VitrineError =>
      new VitrineError("aborted", `${method}: aborted`, { cause: signal?.reason });
    if (signal?.aborted) throw aborted();
    const id = this.nextId++;
    const meta = onprogress && { _meta: { ...metaOf(params), progressToken: id } };
    const call = this.call(id, method, { ...params, ...meta }, timeout);
    const abort = (): void => call.settle(aborted());
    if (onprogress) {
      const { settle } = call;
      // Not later: progress on the heels of the answer must not start the timeout anew.
      call.settle = (...outcome) => {
        this.#watched.delete(id);
        settle(...outcome);
      };
      this.#watched.set(id, ({ progressToken, _meta, ...progress }) => {
        call.wait();
        this.listen(onprogress as AnyFunction, progress);
      });
    }
    signal?.addEventListener("abort", abort);
    try {
      return (await call.answer) as Result<M>;
    } catch (error) {
      const { code } = error as VitrineError;
      if (code === "aborted" || code === "timeout") {
        this.post({ method: "notifications/cancelled", params: { requestId: id, reason: code } });
      }
      throw error;
    } finally {
      signal?.removeEventListener("abort", abort);
      this.#watched.delete(id);
    }
  }

  /**
   * As {@link Channel.handle}, with a context.
   *
   * @throws {VitrineError} `duplicate-handler`, so that no handler is replaced unseen (D2)
   */
  override handle<M extends RequestFrom<OtherSide<S>>>(method: M, handler: Handler<M>): () => void {
    if (this.#handled.has(method)) {
      throw new VitrineError("duplicate-handler", `${method} has a handler: remove it first`);
    }
    const remove = super.handle(method, handler as (params: Params<M>) => Result<M>);
    this.#handled.set(method, remove);
    return () => {
      if (this.#handled.get(method) !== remove) return;
      this.#handled.delete(method);
      remove();
      // L10: there is always an answer to it.
      if (method === "ping") super.handle(method, () => ({}) as Result<M>);
    };
  }

  override close(): void {
    const running = this.#running;
    this.#running = new Map();
    super.close();
    for (const controller of running.values()) controller.abort();
  }

  protected override receive(data: unknown): void {
    try {
      if (isObject(data) && data.jsonrpc === "2.0") super.receive(data);
      else this.refuse(data);
    } catch {
      // Only a value that was never cloned can do that: a getter that throws, a revoked proxy.
      this.refuse(undefined);
    }
  }

  protected override notified(method: string, params: Record<string, unknown>): void {
    if (method === "notifications/cancelled") this.#running.get(params.requestId)?.abort(params.reason);
    else if (method === "notifications/progress") {
      const hear = this.#watched.get(params.progressToken);
      if (hear) hear(params);
      else this.report("unknown-progress");
    }
    super.notified(method, params);
  }

  protected override async serve(
    id: RequestId,
    method: string,
    params: Record<string, unknown>,
  ): Promise<void> {
    if (!isId(id)) return this.refuse(undefined);
    let own = params;
    let progressToken: unknown;
    try {
      // Tokens belong to one channel: a handler that passes its params on must not pass this on (D5, D6).
      const { progressToken: token, ..._meta } = metaOf(params);
      if (token !== undefined) own = { ...params, _meta };
      progressToken = token;
    } catch {
      // As in `receive`; but from here on nobody would catch it.
      return this.refuse(undefined);
    }
    const running = this.#running;
    // Two requests under one id: the answer to the first is the only one the other end can tell apart.
    if (running.has(id)) {
      this.report("duplicate-request");
      return;
    }
    const controller = new AbortController();
    const { signal } = controller;
    running.set(id, controller);
    const progress = isId(progressToken)
      ? (update: Progress): void => {
          if (signal.aborted || running.get(id) !== controller) return;
          this.post({ method: "notifications/progress", params: { ...update, progressToken } });
        }
      : undefined;
    const answer = await this.answer(method, own, { requestId: id, signal, progress });
    const failure = signal.aborted ? undefined : this.post({ id, ...answer });
    // The failure itself stays here: it may quote what could not be sent.
    if (failure) this.post({ id, error: { code: INTERNAL_ERROR, message: "the answer could not be sent" } });
    running.delete(id);
  }

  protected override async answer(method: string, params: object, context?: unknown): Promise<object> {
    try {
      return await super.answer(method, params, context);
    } catch {
      // The handler threw what cannot even be read: a symbol, an object without a prototype.
      return { error: { code: INTERNAL_ERROR, message: "the handler failed" } };
    }
  }

  /** Answers what is no message: text that nobody could parse, a request with bad params, or anything else. */
  protected override refuse(data: unknown): void {
    super.refuse(data);
    const isText = typeof data === "string";
    const isCall = isObject(data) && data.jsonrpc === "2.0" && typeof data.method === "string";
    if (isCall && data.id === undefined) return; // Nobody waits for an answer to a notification.
    const isRequest = isCall && isId(data.id);
    const code = isText ? PARSE_ERROR : isRequest ? INVALID_PARAMS : INVALID_REQUEST;
    const message = isRequest ? "params must be an object" : "not a JSON-RPC message";
    this.post({ id: isRequest ? data.id : null, error: { code, message } });
  }
}

/** Ids longer than this are refused: they are kept while a request runs, and sent back. */
const MAX_ID_LENGTH = 256;
const isId = (id: unknown): id is RequestId =>
  typeof id === "string" ? id.length <= MAX_ID_LENGTH : Number.isSafeInteger(id);

const metaOf = (params: object): Record<string, unknown> => {
  const { _meta } = params as { _meta?: unknown };
  return isObject(_meta) ? _meta : {};
};
