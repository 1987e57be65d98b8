/**
 * Requests of the page that wait for the gateway's answers, over any number of connections and sessions.
 *
 * @module
 */

import { Refusal, resultText } from "@vitrine/guard";
import { JsonText, type Progress, VitrineError } from "@vitrine/protocol";
import type { Session } from "@vitrine/wire";

/** Where requests go: the session's own channel or a view's. Without a name they wait for one. */
export interface Port {
  channel: string | undefined;
  /** Requests that wait for an answer here, and how many may. */
  waiting: number;
  readonly most: number;
  /** Why it has no name and gets none any more: what is asked there now is refused. */
  ended?: string | undefined;
}

/** Options of one request. */
export interface CallOptions {
  /**
   * The request's own name, such as `<random>.1`, in place of one that is made up: a page that was reloaded asks again under
   * it, and hears what came of the first time.
   */
  id?: string | undefined;
  signal?: AbortSignal | undefined;
  onprogress?: ((progress: Progress) => void) | undefined;
  /** Hears the result before anything else that the gateway said after it. */
  onresult?: ((result: unknown) => void) | undefined;
}

interface Pending extends CallOptions {
  port: Port;
  text: string;
  settle(error: Error | undefined, result?: unknown): void;
}

/** Requests that may wait: an app that floods its page is refused there, before others notice. */
const MAX_PENDING = 10_000;
const MAX_OF_VIEW = 256;
/** Characters of an answer from which on it is not parsed here: frames on its way would do so again. */
const LARGE = 100_000;

/** A port of the page's own, or of one of its views. */
export const portOf = (channel: string, isView: boolean): Port => ({
  channel,
  waiting: 0,
  most: isView ? MAX_OF_VIEW : MAX_PENDING,
});

/** What was asked and not answered. */
export class Calls {
  /** Ids are keys, too: no two pages have the same, so the gateway knows a request that comes again (attack C20). */
  readonly #nonce = crypto
    .getRandomValues(new Uint32Array(3))
    .reduce((text, each) => text + each.toString(36), "");
  readonly #send: Session["send"];
  readonly #pending = new Map<unknown, Pending>();
  #last = 0;

  constructor(send: Session["send"]) {
    this.#send = send;
  }

  /** Asks, and waits for as long as it takes: over a lost connection, too. */
  request(port: Port, method: string, params: object, options: CallOptions = {}): Promise<unknown> {
    const { id = `${this.#nonce}.${++this.#last}`, signal, onprogress } = options;
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        settle(new VitrineError("aborted", `${method}: aborted`));
        const reason = "the caller took it back";
        // Even if the queue is full: it makes room.
        this.notify(port, "notifications/cancelled", { requestId: id, reason }, true);
      };
      const settle: Pending["settle"] = (error, result) => {
        if (this.#pending.delete(id)) port.waiting--;
        signal?.removeEventListener("abort", abort);
        if (error) return reject(error);
        options.onresult?.(result);
        resolve(result);
      };
      if (port.ended !== undefined) return settle(new VitrineError("closed", port.ended));
      if (signal?.aborted) return settle(new VitrineError("aborted", `${method}: aborted`));
      if (this.#pending.size >= MAX_PENDING || port.waiting >= port.most) {
        return settle(new Refusal("rate-limited", "too much is under way: wait for an answer"));
      }
      const { _meta } = params as { _meta?: object };
      const asked = onprogress ? { ...params, _meta: { ..._meta, progressToken: id } } : params;
      const text = JSON.stringify({ jsonrpc: "2.0", id, method, params: asked });
      // Before anything is kept: what cannot be sent rejects.
      if (port.channel !== undefined) this.#send(port.channel, text);
      signal?.addEventListener("abort", abort);
      this.#pending.set(id, { ...options, port, text, settle });
      port.waiting++;
    });
  }

  /** Says something that nobody answers; see {@link Session.send} for `isUrgent`. */
  notify(port: Port, method: string, params: object, isUrgent?: boolean): void {
    if (port.channel !== undefined)
      this.#send(port.channel, JSON.stringify({ jsonrpc: "2.0", method, params }), isUrgent);
  }

  /** Asks again, under the same keys, what was asked there and not answered. */
  again(port: Port): void {
    for (const [, { port: own, text }] of [...this.#pending]) {
      if (own === port && port.channel !== undefined) this.#send(port.channel, text);
    }
  }

  /** Gives up what was asked at a port, or everywhere. The gateway may have acted on it. */
  fail(message: string, port?: Port): void {
    for (const { port: own, settle } of [...this.#pending.values()]) {
      if (!port || own === port)
        settle(new VitrineError("closed", message, { data: { indeterminate: true } }));
    }
  }

  /**
   * Takes a message that came in at a port. What is no answer or progress comes back, parsed.
   */
  receive(port: Port, text: string): Record<string, unknown> | undefined {
    const id = text.length > LARGE ? idOf(text) : undefined;
    const raw = id && resultText(text, id);
    if (raw) {
      this.#settle(port, id, undefined, new JsonText(raw));
      return undefined;
    }
    const message = parse(text);
    if (message["method"] === "notifications/progress") {
      const { progressToken, ...progress } = Object(message["params"]) as Progress & {
        progressToken: unknown;
      };
      const call = this.#pending.get(progressToken);
      if (call?.port === port) call.onprogress?.(progress);
      return undefined;
    }
    if (typeof message["method"] === "string") return message;
    const { code, message: why, data } = Object(message["error"]) as Record<string, unknown>;
    const error = Number.isInteger(code) ? new VitrineError(Number(code), `${why}`, { data }) : undefined;
    this.#settle(port, message["id"], error, message["result"]);
    return undefined;
  }

  /** An answer counts only where it was asked for. */
  #settle(port: Port, id: unknown, error: Error | undefined, result: unknown): void {
    const call = this.#pending.get(id);
    if (call?.port !== port) return;
    const isAnswer = typeof result === "object" && result !== null;
    call.settle(error ?? (isAnswer ? undefined : new VitrineError("invalid", "this is no answer")), result);
  }
}

/** The id of an answer that is written as the gateway writes it. */
function idOf(text: string): string | undefined {
  const before = '{"jsonrpc":"2.0","id":"';
  return text.startsWith(before) ? text.slice(before.length, text.indexOf('"', before.length)) : undefined;
}

function parse(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>;
  } catch {
    return {};
  }
}
