/**
 * Shows the HTTP requests to a server, with their answers, to whoever watches them.
 *
 * @module
 */
import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";

/** An HTTP request and its answer, as they were on their way: with all secrets. */
export interface WireExchange {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly method: string;
  readonly url: URL;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  /** `duration`: milliseconds until the headers arrived. */
  readonly response?:
    | { readonly status: number; readonly headers: WireExchange["headers"]; readonly duration: number }
    | undefined;
  /** Why there is no answer. */
  readonly failure?: { readonly error: unknown; readonly duration: number } | undefined;
  /** The end of the answer's body: its size in bytes, and the start of an error's text. */
  readonly end?:
    | {
        readonly duration: number;
        readonly size: number;
        readonly isWhole: boolean;
        readonly error?: string | undefined;
      }
    | undefined;
}

/** Receives exchanges: when the request is sent, when the headers of the answer arrive, and when its body ends. */
export interface HttpTap {
  /** False while nobody watches, so that nothing is prepared in vain. */
  readonly isWatched: boolean;
  /** The same object for each stage of an exchange. */
  takeHttp(exchange: WireExchange): void;
}

/** Bytes of the body of an error that are kept. */
const MOST_ERROR = 16_000;

/** An exchange that is under way. Its parts are kept no longer than that. */
export class TappedExchange {
  readonly #tap: HttpTap;
  readonly #exchange: { -readonly [K in keyof WireExchange]: WireExchange[K] };
  readonly #begun = performance.now();
  #size = 0;
  #error: Buffer[] | undefined;

  constructor(tap: HttpTap, method: string, url: URL, headers: OutgoingHttpHeaders, body: string) {
    this.#tap = tap;
    const list = Object.entries(headers).map(([name, value]) => [name, `${value}`] as const);
    this.#exchange = { at: Date.now(), method, url, headers: list, body };
    this.#report();
  }

  answered({ statusCode = 502, rawHeaders }: IncomingMessage, isStream: boolean): void {
    const headers: [string, string][] = [];
    for (let at = 0; at + 1 < rawHeaders.length; at += 2)
      headers.push([(rawHeaders[at] ?? "").toLowerCase(), rawHeaders[at + 1] ?? ""]);
    if (statusCode >= 400 && !isStream) this.#error = [];
    this.#exchange.response = { status: statusCode, headers, duration: this.#passed };
    this.#report();
  }

  /** A part of the answer's body. */
  take(chunk: Buffer): void {
    if (this.#error && this.#size < MOST_ERROR) this.#error.push(chunk.subarray(0, MOST_ERROR - this.#size));
    this.#size += chunk.length;
  }

  ended(isWhole: boolean): void {
    const error = this.#error && Buffer.concat(this.#error).toString();
    this.#exchange.end = { duration: this.#passed, size: this.#size, isWhole, error };
    this.#report();
  }

  failed(error: unknown): void {
    this.#exchange.failure = { error, duration: this.#passed };
    this.#report();
  }

  get #passed(): number {
    return performance.now() - this.#begun;
  }

  #report(): void {
    if (this.#tap.isWatched) this.#tap.takeHttp(this.#exchange);
  }
}
