/**
 * Pending requests of the page to the gateway, across connections and sessions.
 *
 * @module
 */

import { Refusal, resultText } from "@vitrine/guard";
import { JsonText, type Progress, recordOf, VitrineError } from "@vitrine/protocol";
import { GATEWAY_ERROR, type Session } from "@vitrine/wire";

/** The target of requests: the session's own channel or a view's. Without a channel they wait for one. */
export interface Port {
  channel: string | undefined;
  /** Number of pending requests, and their maximum. */
  waiting: number;
  readonly most: number;
  /** Why it has no channel and never will: new requests are refused. */
  ended?: string | undefined;
}

/** Options of one request. */
export interface CallOptions {
  /**
   * The request's own id, such as `<random>.1`, instead of a generated one: a reloaded page repeats the
   * request with it, and gets the first outcome. While it is pending, the same request under this id gets the
   * same promise, without a signal or listeners of its own.
   */
  id?: string | undefined;
  signal?: AbortSignal | undefined;
  onprogress?: ((progress: Progress) => void) | undefined;
  /** Called with the result before any later message of the gateway. */
  onresult?: ((result: unknown) => void) | undefined;
  /** Sends it even if the queue is full. */
  isUrgent?: boolean | undefined;
}

interface Pending extends CallOptions {
  port: Port;
  text: string;
  /** Whether it may have left the page. */
  wasSent: boolean;
  promise?: Promise<unknown>;
  settle(error: Error | undefined, result?: unknown): void;
}

/** Maximum pending requests: an app that floods its page is refused there, before others are affected. */
const MAX_PENDING = 10_000;
const MAX_OF_VIEW = 256;
/**
 * Characters of an answer above which it is not parsed here, because frames on its way would parse it again.
 */
const LARGE = 100_000;

/** A port of the page itself, or of one of its views. */
export const portOf = (channel: string, isView: boolean): Port => ({
  channel,
  waiting: 0,
  most: isView ? MAX_OF_VIEW : MAX_PENDING,
});

/** The pending requests. */
export class Calls {
  /**
   * Ids are also idempotency keys: they are unique across pages, so the gateway recognizes a repeated
   * request.
   */
  readonly #nonce = crypto
    .getRandomValues(new Uint32Array(3))
    .reduce((text, each) => text + each.toString(36), "");
  readonly #send: Session["send"];
  readonly #pending = new Map<unknown, Pending>();
  #last = 0;

  constructor(send: Session["send"]) {
    this.#send = send;
  }

  /** Sends a request, and waits as long as it takes, even over a lost connection. */
  request(port: Port, method: string, params: object, options: CallOptions = {}): Promise<unknown> {
    const { id = `${this.#nonce}.${++this.#last}`, signal, onprogress } = options;
    const promise = new Promise((resolve, reject) => {
      const { _meta } = params as { _meta?: object };
      const asked = onprogress ? { ...params, _meta: { ..._meta, progressToken: id } } : params;
      const text = JSON.stringify({ jsonrpc: "2.0", id, method, params: asked });
      const first = this.#pending.get(id);
      if (first?.text === text) return resolve(first.promise);
      if (first) return reject(new VitrineError(GATEWAY_ERROR, "id in use", { data: { code: "conflict" } }));
      const abort = (): void => {
        settle(new VitrineError("aborted", `${method}: aborted`));
        const reason = "cancelled by the caller";
        // Urgent, because it frees space in a full queue.
        this.notify(port, "notifications/cancelled", { requestId: id, reason }, true);
      };
      const settle: Pending["settle"] = (error, result) => {
        if (this.#pending.delete(id)) port.waiting--;
        signal?.removeEventListener("abort", abort);
        try {
          if (error) throw error;
          options.onresult?.(result);
          resolve(result);
        } catch (cause) {
          reject(cause);
        }
      };
      if (port.ended !== undefined) return settle(new VitrineError("closed", port.ended));
      if (signal?.aborted) return settle(new VitrineError("aborted", `${method}: aborted`));
      if (this.#pending.size >= MAX_PENDING || port.waiting >= port.most) {
        return settle(new Refusal("rate-limited", "too many requests: wait for an answer"));
      }
      // First, so that an unsendable request rejects before anything is stored.
      if (port.channel !== undefined) this.#send(port.channel, text, options.isUrgent);
      signal?.addEventListener("abort", abort);
      this.#pending.set(id, { ...options, port, text, wasSent: port.channel !== undefined, settle });
      port.waiting++;
    });
    const pending = this.#pending.get(id);
    if (pending) pending.promise ??= promise;
    return promise;
  }

  /** Sends a notification; see {@link Session.send} for `isUrgent`. */
  notify(port: Port, method: string, params: object, isUrgent?: boolean): void {
    if (port.channel !== undefined)
      this.#send(port.channel, JSON.stringify({ jsonrpc: "2.0", method, params }), isUrgent);
  }

  /** Repeats the unanswered requests of a port, under the same ids. One that cannot be sent fails alone. */
  again(port: Port): void {
    for (const call of [...this.#pending.values()]) {
      if (call.port !== port || port.channel === undefined) continue;
      try {
        // Urgent, because a full queue must not stop it: its text is in memory anyway.
        this.#send(port.channel, call.text, true);
        call.wasSent = true;
      } catch (error) {
        end(call, (error as Error).message);
      }
    }
  }

  /** Rejects the pending requests of a port, or all. */
  fail(message: string, port?: Port): void {
    for (const call of [...this.#pending.values()]) if (!port || call.port === port) end(call, message);
  }

  /** Handles an incoming message. Returns it, parsed, if it is neither an answer nor progress. */
  receive(port: Port, text: string): Record<string, unknown> | undefined {
    const id = text.length > LARGE ? idOf(text) : undefined;
    const raw = id && resultText(text, id);
    if (raw) {
      this.#settle(port, id, undefined, new JsonText(raw));
      return undefined;
    }
    const message = parse(text);
    if (message["method"] === "notifications/progress") {
      const { progressToken, ...progress } = recordOf(message["params"]);
      const call = this.#pending.get(progressToken);
      if (call?.port === port && isProgress(progress)) call.onprogress?.(progress);
      return undefined;
    }
    if (typeof message["method"] === "string") return message;
    const { code, message: why, data } = recordOf(message["error"]);
    const error = Number.isInteger(code) ? new VitrineError(Number(code), `${why}`, { data }) : undefined;
    this.#settle(port, message["id"], error, message["result"]);
    return undefined;
  }

  /** An answer counts only on the port of its request. */
  #settle(port: Port, id: unknown, error: Error | undefined, result: unknown): void {
    const call = this.#pending.get(id);
    if (call?.port !== port) return;
    const isAnswer = typeof result === "object" && result !== null;
    call.settle(error ?? (isAnswer ? undefined : new VitrineError("invalid", "not an answer")), result);
  }
}

/** Rejects a request. If it was sent, the gateway may have acted on it. */
const end = ({ settle, wasSent }: Pending, message: string): void =>
  settle(new VitrineError("closed", message, { data: { indeterminate: wasSent } }));

/** The id of an answer in the gateway's form. */
function idOf(text: string): string | undefined {
  const before = '{"jsonrpc":"2.0","id":"';
  return text.startsWith(before) ? text.slice(before.length, text.indexOf('"', before.length)) : undefined;
}

function parse(text: string): Record<string, unknown> {
  try {
    return recordOf(JSON.parse(text));
  } catch {
    return {};
  }
}

const isProgress = (value: object): value is Progress =>
  "progress" in value && typeof value.progress === "number";
