import { type AnyFunction, Channel, type ChannelRequestOptions } from "./channel.js";
import type { Side } from "./end.js";
import {
  type ErrorCode,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  PARSE_ERROR,
  VitrineError,
} from "./errors.js";
import type { RequestId } from "./mcp.js";
import type { Params, RequestFrom, Result } from "./methods.js";
import { isRequestId } from "./request-id.js";
import { isObject, recordOf } from "./schema.js";

/** Progress of a request. */
export interface Progress {
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
}

/** Options of one request. */
export interface RequestOptions extends ChannelRequestOptions {
  /** Aborts the request: the other side is notified, and the promise rejects with code `aborted`. */
  signal?: AbortSignal | undefined;
  /**
   * Requests progress and receives it. Each progress notification restarts the timeout. To limit the total
   * time, use `AbortSignal.timeout()`.
   */
  onprogress?: ((progress: Progress) => void) | undefined;
}

/** Context of a request that a handler answers. */
export interface RequestContext {
  /** Id of the request. */
  requestId: RequestId;
  /** Aborted if the other side cancels, or the channel closes. */
  signal: AbortSignal;
  /** Reports progress; absent if the other side did not request it. */
  progress: ((progress: Progress) => void) | undefined;
}

/**
 * A JSON-RPC 2.0 peer: a {@link Channel} with cancellation and progress in both directions, which answers
 * every request. It survives any input. It checks only the envelope of messages; {@link CheckedPeer} also
 * checks their contents.
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
export class Peer<S extends Side = Side> extends Channel<S, RequestContext> {
  /**
   * Called for problems that the peer survived; see {@link ErrorCode}. The error never contains a payload.
   */
  onreport: ((error: VitrineError) => void) | undefined;
  /** Abort functions of the incoming requests in progress. Each time the channel opens, it gets a new map. */
  #running = new Map<unknown, (reason?: unknown) => void>();
  /** Our requests that want progress. The token is the request's own id, so it is unique. */
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
    // Progress tokens belong to one channel, so a token in the given params is not passed on.
    const { progressToken, ..._meta } = metaOf(params);
    const own = progressToken === undefined ? params : { ...params, _meta };
    const asks = onprogress && { _meta: { ..._meta, progressToken: id } };
    const call = this.call(id, method, { ...own, ...asks }, timeout);
    const abort = (): void => call.settle(aborted());
    if (onprogress) {
      const { settle } = call;
      // Immediately: progress that arrives right after the answer must not restart the timeout.
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
        this.#tryPost({ method: "notifications/cancelled", params: { requestId: id, reason: code } });
      }
      throw error;
    } finally {
      signal?.removeEventListener("abort", abort);
      this.#watched.delete(id);
    }
  }

  override close(): void {
    const running = this.#running;
    this.#running = new Map();
    try {
      super.close();
    } finally {
      for (const abort of running.values()) abort();
    }
  }

  protected override receive(data: unknown): void {
    try {
      if (isObject(data) && data["jsonrpc"] === "2.0") super.receive(data);
      else this.refuse("malformed", data);
    } catch {
      // Only a value that was never cloned can throw here: a throwing getter, a revoked proxy.
      this.refuse("malformed");
    }
  }

  protected override notified(method: string, params: Record<string, unknown>): void {
    if (method === "notifications/cancelled") this.#running.get(params.requestId)?.(params.reason);
    else if (method === "notifications/progress") {
      const hear = this.#watched.get(params.progressToken);
      if (hear) hear(params);
      else this.report("unknown-progress");
    }
    super.notified(method, params);
  }

  /** Not async, so that {@link receive} catches errors from hostile params. */
  protected override serve(id: RequestId, method: string, params: Record<string, unknown>): Promise<void> {
    // Progress tokens belong to one channel: a handler that passes on its params must not pass on the token.
    const { progressToken, ..._meta } = metaOf(params);
    const own = progressToken === undefined ? params : { ...params, _meta };
    return this.#run(id, method, own, progressToken);
  }

  async #run(id: RequestId, method: string, params: object, progressToken: unknown): Promise<void> {
    if (!isRequestId(id)) return this.refuse("malformed");
    const running = this.#running;
    // For two requests with the same id, the other side could not tell the answers apart. Only the first is
    // answered.
    if (running.has(id)) return this.report("duplicate-request");
    let aborted = false;
    let why: unknown;
    let controller: AbortController | undefined;
    const abort = (reason?: unknown): void => {
      aborted = true;
      why = reason;
      controller?.abort(reason);
    };
    running.set(id, abort);
    const context: RequestContext = {
      requestId: id,
      // Created on first access, because an abort controller is expensive.
      get signal() {
        controller ??= new AbortController();
        if (aborted) controller.abort(why);
        return controller.signal;
      },
      progress: isRequestId(progressToken)
        ? (update) => {
            if (aborted || running.get(id) !== abort) return;
            this.#tryPost({ method: "notifications/progress", params: { ...update, progressToken } });
          }
        : undefined,
    };
    const answer = await this.answer(method, params, context);
    // The error itself stays here: it may quote the unsendable value.
    if (!aborted && !this.#tryPost({ id, ...answer })) {
      this.#tryPost({ id, error: { code: INTERNAL_ERROR, message: "cannot be sent" } });
    }
    running.delete(id);
  }

  protected override async answer(method: string, params: object, context?: unknown): Promise<object> {
    try {
      return await super.answer(method, params, context);
    } catch (thrown) {
      return { error: rpcError(thrown) };
    }
  }

  protected override failed(cause: unknown): void {
    this.report("listener-failed", cause);
  }

  protected report(code: ErrorCode, cause?: unknown): void {
    const isText = typeof cause === "string" || cause instanceof Error;
    this.onreport?.(new VitrineError(code, isText ? `${cause}` : code, { cause }));
  }

  protected override post(message: object): void {
    try {
      super.post(message);
    } catch (cause) {
      // The transport's message stays in the cause: it may quote the unsendable value.
      throw cause instanceof VitrineError
        ? cause
        : new VitrineError("send-failed", "cannot be sent", { cause });
    }
  }

  /** Sends a message without an answer; returns whether that worked. */
  #tryPost(message: object): boolean {
    try {
      this.post(message);
      return true;
    } catch {
      this.report("send-failed");
      return false;
    }
  }

  /** Answers an invalid message: unparsable text, a request with bad params, or anything else. */
  protected override refuse(reason: "malformed" | "unknown-response", data?: unknown): void {
    this.report(reason);
    if (reason === "unknown-response") return;
    const isText = typeof data === "string";
    const isCall = isObject(data) && data["jsonrpc"] === "2.0" && typeof data["method"] === "string";
    if (isCall && data["id"] === undefined) return; // Notifications get no answer.
    const isRequest = isCall && isRequestId(data["id"]);
    const code = isText ? PARSE_ERROR : isRequest ? INVALID_PARAMS : INVALID_REQUEST;
    const message = isRequest ? "params is not an object" : "not JSON-RPC";
    this.#tryPost({ id: isRequest ? data["id"] : null, error: { code, message } });
  }
}

/** Converts anything that a handler threw to a JSON-RPC error. */
function rpcError(thrown: unknown): object {
  try {
    const { code, message = `${thrown}`, data }: Record<string, unknown> = Object(thrown);
    return { code: Number(code) || INTERNAL_ERROR, message, data };
  } catch {
    // A value that cannot be read: a symbol, an object without a prototype.
    return { code: INTERNAL_ERROR, message: "failed" };
  }
}

const metaOf = (params: object): Readonly<Record<string, unknown>> => recordOf(recordOf(params)["_meta"]);
