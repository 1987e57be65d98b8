/**
 * Describes the HTTP requests of the gateway to a server, for a user who watches them.
 *
 * @module
 */
import { maskedExchange, type ServerSettings, type WireExchange } from "@vitrine/servers";
import type { WatchedExchange } from "@vitrine/wire";
import { redacted } from "../guard/redact.js";
import { traceIdOf } from "../guard/trace.js";
import type { ServerTrafficOptions } from "./server-traffic.js";
import { shortText } from "./short-text.js";

/** Options of {@link ServerHttp}. */
export interface ServerHttpOptions extends Pick<ServerTrafficOptions, "fields" | "originOf" | "isShared"> {
  readonly settings: ServerSettings;
  take(exchange: WatchedExchange): void;
}

/** Characters of a method, and of an id. */
const MOST_NAME = 200;

/** Numbers exchanges, masks their secrets, and leaves out what belongs to others. */
export class ServerHttp {
  readonly #options: ServerHttpOptions;
  /** Held by the exchange itself: it ends with it. */
  readonly #numbers = new WeakMap<WireExchange, number>();
  #last = 0;

  constructor(options: ServerHttpOptions) {
    this.#options = options;
  }

  take(exchange: WireExchange): void {
    const { isShared, originOf, settings, take } = this.#options;
    const trace = exchange.headers.find(([name]) => name === "traceparent")?.[1];
    const isTrace = trace !== undefined && /^[\da-f-]{55}$/.test(trace);
    const by = isTrace ? originOf(trace) : undefined;
    if (isShared && !by) return;
    const seq = this.#numbers.get(exchange) ?? ++this.#last;
    this.#numbers.set(exchange, seq);
    const { rpc, response, ...rest } = maskedExchange(exchange, settings);
    take({
      ...rest,
      seq,
      ...(rpc && { rpc: this.#short(rpc) }),
      ...(response && { response: this.#withoutFields(response) }),
      ...(isTrace && { trace: traceIdOf(trace) }),
      ...(by && { by }),
    });
  }

  #short({ method, id }: NonNullable<WatchedExchange["rpc"]>): WatchedExchange["rpc"] {
    return {
      ...(method !== undefined && { method: shortText(method, MOST_NAME) }),
      ...(id !== undefined && { id: typeof id === "string" ? shortText(id, MOST_NAME) : id }),
    };
  }

  /** Masks the operator's fields too, which an error may repeat. */
  #withoutFields(response: NonNullable<WatchedExchange["response"]>): WatchedExchange["response"] {
    const { body, ...rest } = response;
    if (!body) return rest;
    const { kind, text } = body;
    if (kind === "hidden") return response;
    const value = parsed(text);
    if (kind !== "text" && value === undefined)
      return { ...rest, body: { kind: "hidden", text: `${kind}, cut` } };
    const shown = redacted(value ?? text, { fields: this.#options.fields() });
    return { ...rest, body: { kind, text: value === undefined ? String(JSON.parse(shown)) : shown } };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
