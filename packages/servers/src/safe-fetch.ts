/**
 * A `fetch` that reaches only allowed addresses.
 *
 * @module
 */
import { lookup as lookupName } from "node:dns";
import {
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type RequestOptions,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { Readable } from "node:stream";
import { GatewayError } from "@vitrine/wire";
import { kindOfAddress } from "./addresses.js";
import { limitBody } from "./body-limit.js";
import { type HttpTap, TappedExchange } from "./http-tap.js";

/** Options of {@link safeFetch}. */
export interface SafeFetchOptions {
  /** The server's own address, from its settings. */
  url: string;
  /** Headers sent to the server's own origin only. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Whether loopback and private addresses are allowed. */
  privateNetwork: boolean;
  /** Maximum size in bytes of a response, or of one event of an event stream. */
  message: number;
  /** Milliseconds until a response that is not an event stream must be complete. */
  timeout: number;
  /** Resolves host names; the system's resolver by default. */
  lookup?: typeof lookupName | undefined;
  /** Shows every request. */
  tap?: HttpTap | undefined;
}

/** A fetch function with its connections. */
export interface SafeFetch {
  fetch(url: string | URL, init?: RequestInit): Promise<Response>;
  /** Closes all connections. */
  close(): void;
}

const MOST_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const EMPTY = new Set([204, 205, 304]);

/**
 * Creates a `fetch` for one server. Addresses are checked when the connection is made, after name resolution,
 * so a name cannot resolve to one address for the check and another for the connection. Each redirect is
 * checked in the same way, and credentials are dropped when the origin changes.
 */
export function safeFetch(options: SafeFetchOptions): SafeFetch {
  const own = new URL(options.url);
  const mayReach = (address: string): boolean => {
    const kind = kindOfAddress(address);
    // The operator wrote exactly this address.
    const named = hostOf(own) === address;
    return kind === "public" || named || (kind === "private" && options.privateNetwork);
  };
  const resolve = options.lookup ?? lookupName;
  const lookup: LookupFunction = (host, lookupOptions, callback) => {
    resolve(host, { ...lookupOptions, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
      const bad = addresses.find(({ address }) => !mayReach(address));
      if (bad) return callback(new Error("forbidden", { cause: refusal(host, bad.address) }), []);
      if (lookupOptions.all) return callback(null, addresses);
      const [first] = addresses;
      callback(null, first?.address ?? "", first?.family);
    });
  };
  const agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };

  const once = async (
    url: URL,
    request: Request,
    body: string,
    signal: AbortSignal | undefined,
  ): Promise<Response> => {
    const headers = Object.fromEntries(request.headers);
    if (url.origin === own.origin) Object.assign(headers, lowerCase(options.headers ?? {}));
    const { method } = request;
    const { tap } = options;
    const seen = tap?.isWatched
      ? new TappedExchange(tap, method, url, { host: url.host, ...headers }, body)
      : undefined;
    try {
      return toResponse(await sent(url, { method, headers, ...(signal && { signal }) }, body), options, seen);
    } catch (error) {
      seen?.failed(error);
      throw error;
    }
  };

  const sent = async (url: URL, request: RequestOptions, body: string): Promise<IncomingMessage> => {
    const host = hostOf(url);
    if (url.protocol !== "http:" && url.protocol !== "https:") throw refusal(url.href, url.protocol);
    if (isIP(host) !== 0 && !mayReach(host)) throw refusal(url.host, host);
    const secure = url.protocol === "https:";
    return new Promise((resolveAnswer, reject) => {
      const agent = secure ? agents.https : agents.http;
      const send = secure ? httpsRequest : httpRequest;
      const sending = send(url, { ...request, agent, lookup }, resolveAnswer);
      sending.once("error", (error) => reject(error.cause instanceof GatewayError ? error.cause : error));
      sending.end(body === "" ? undefined : body);
    });
  };

  return {
    async fetch(target, init) {
      let url = new URL(target);
      // The signal is not passed to `Request`: each `Request` leaves a listener on it until it is collected,
      // and the official transport uses one signal for all requests. `node:http` removes its listener after
      // the exchange.
      const signal = init?.signal ?? undefined;
      let request = new Request(url, { ...init, signal: null, redirect: "manual" });
      let body = await request.clone().text();
      for (let hops = 0; ; hops++) {
        const response = await once(url, request, body, signal);
        const location = REDIRECTS.has(response.status) ? response.headers.get("location") : null;
        if (location === null || init?.redirect === "manual") return response;
        await response.body?.cancel();
        const next = new URL(location, url);
        if (init?.redirect === "error" || hops === MOST_REDIRECTS) {
          throw new GatewayError(
            "address-forbidden",
            `${url.origin} redirects, and is not followed any further`,
          );
        }
        if (url.protocol === "https:" && next.protocol !== "https:")
          throw refusal(next.href, "not encrypted");
        const keepsBody = response.status >= 307 || request.method === "GET" || request.method === "HEAD";
        if (!keepsBody) body = "";
        request = new Request(next, {
          method: keepsBody ? request.method : "GET",
          headers: next.origin === url.origin ? request.headers : withoutCredentials(request.headers),
        });
        url = next;
      }
    },
    close() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

function toResponse(
  answer: IncomingMessage,
  options: SafeFetchOptions,
  seen: TappedExchange | undefined,
): Response {
  const status = answer.statusCode ?? 502;
  const headers = new Headers();
  for (let at = 0; at + 1 < answer.rawHeaders.length; at += 2) {
    headers.append(answer.rawHeaders[at] ?? "", answer.rawHeaders[at + 1] ?? "");
  }
  const isStream = /^text\/event-stream\b/i.test(headers.get("content-type") ?? "");
  seen?.answered(answer, isStream);
  answer.once("close", () => seen?.ended(answer.complete));
  if (!isStream) {
    // A response that trickles in forever would hold its connection forever.
    const late = setTimeout(() => {
      answer.destroy(new GatewayError("server-failed", "the answer was not complete in time"));
    }, options.timeout);
    answer.once("close", () => clearTimeout(late));
  }
  if (EMPTY.has(status)) {
    answer.resume();
    return new Response(null, { status, headers });
  }
  const body = Readable.toWeb(
    limitBody(answer, options.message, isStream, (chunk) => seen?.take(chunk)),
  ) as ReadableStream<Uint8Array>;
  return new Response(body, { status, statusText: answer.statusMessage ?? "", headers });
}

/** The host without the brackets of IPv6. The URL parser has already converted other notations to decimal. */
const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, "");

const lowerCase = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/**
 * Headers that are safe to send elsewhere. All others may contain credentials: an API key can be in a header
 * of any name.
 */
const HARMLESS = new Set(["accept", "accept-language", "content-type", "mcp-protocol-version", "user-agent"]);
const withoutCredentials = (headers: Headers): Headers =>
  new Headers([...headers].filter(([name]) => HARMLESS.has(name)));

const refusal = (what: string, why: string): GatewayError =>
  new GatewayError(
    "address-forbidden",
    `${what} must not be reached from here (${why}); if it is meant, set "privateNetwork" for this server`,
  );
