/**
 * The HTTP endpoint in Node's `http`, Express, Fastify and Koa.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ReadableStream } from "node:stream/web";

/** A handler of frameworks that know `Request` and `Response`, such as {@link hostEndpoint} returns. */
export type FetchHandler = (request: Request) => Response | Promise<Response>;

/** A handler of Node's `http`. */
export type FetchListener = (
  request: IncomingMessage,
  response: ServerResponse,
  body?: unknown,
) => Promise<void>;

/** Options of {@link nodeListener}. */
export interface FetchListenerOptions {
  /**
   * Called when the handler threw, the request could not be read, or the answer could not be sent. The sender gets a
   * 500, a 400 without details, or no answer.
   */
  onerror?: ((error: unknown) => void) | undefined;
}

/**
 * A fetch handler as a handler of Node's `http`: also for Express, Fastify and Koa.
 *
 * A body that a parser of the framework has already read is taken from `body`, or from `request.body`, where Express
 * leaves it. When the sender leaves before the answer is complete, the request's `signal` is aborted.
 *
 * @example
 * ```ts source="./endpoint/http-endpoint.examples.ts#nodeListener"
 * const listener = nodeListener(handle);
 * // Node:    createServer(listener)
 * // Express: app.post("/rpc", listener)
 * // Fastify: app.post("/rpc", (request, reply) => reply.hijack() && listener(request.raw, reply.raw, request.body))
 * // Koa:     app.use((context) => { context.respond = false; return listener(context.req, context.res); })
 * ```
 */
export function nodeListener(handle: FetchHandler, options: FetchListenerOptions = {}): FetchListener {
  return async (request, response, body) => {
    const ended = new AbortController();
    response.once("close", () => {
      if (!response.writableFinished) ended.abort();
    });
    const answer = await answerOf(handle, options, request, body, ended.signal);
    try {
      await send(answer, response);
    } catch (error) {
      // For example an answer that was sent before.
      options.onerror?.(error);
      response.destroy();
    }
    // The rest of a body that nobody wanted: unread, it would block the connection.
    request.resume();
  };
}

/** Nothing that would move the end of the host in an address. */
const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d+)?$/i;

async function answerOf(
  handle: FetchHandler,
  { onerror }: FetchListenerOptions,
  request: IncomingMessage,
  body: unknown,
  signal: AbortSignal,
): Promise<Response> {
  let read: Request;
  try {
    read = toRequest(request, body, signal);
  } catch (error) {
    onerror?.(error);
    return new Response("Bad request", { status: 400 });
  }
  try {
    return await handle(read);
  } catch (error) {
    onerror?.(error);
    return new Response("Internal error", { status: 500 });
  }
}

/** @throws if the address, a header or the body cannot be used */
function toRequest(request: IncomingMessage, body: unknown, signal: AbortSignal): Request {
  const { method = "GET", headers: given, socket } = request;
  // Express shortens `url` for routers.
  const { originalUrl = request.url } = request as { originalUrl?: string };
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) {
    // HTTP/2 has method, path and host in the headers.
    if (name.startsWith(":")) continue;
    for (const each of [value ?? []].flat()) headers.append(name, each);
  }
  const host = given.host ?? `${given[":authority"] ?? "localhost"}`;
  if (!HOST.test(host)) throw new Error(`the host "${host}" is not a name`);
  // The address is put together as text: a path that starts with two slashes must not become another host.
  const path = originalUrl?.startsWith("/") ? originalUrl : "/";
  const url = `${"encrypted" in socket ? "https" : "http"}://${host}${path}`;
  if (method === "GET" || method === "HEAD") return new Request(url, { method, headers, signal });
  const parsed = parsedBody(request, body);
  if (parsed === undefined) {
    // A handler that stops reading must be able to answer: the connection stays.
    const chunks = request.iterator({ destroyOnReturn: false });
    const options = { method, headers, signal, body: ReadableStream.from(chunks), duplex: "half" };
    return new Request(url, options as RequestInit);
  }
  // They described the body as it was sent.
  for (const name of ["content-length", "content-encoding", "transfer-encoding"]) headers.delete(name);
  return new Request(url, { method, headers, signal, body: parsed });
}

/** The body as text or bytes, if a parser of the framework has read it. */
function parsedBody(request: IncomingMessage, body: unknown): string | Uint8Array<ArrayBuffer> | undefined {
  // Express passes `next` there.
  const given = typeof body === "function" ? undefined : body;
  // Express 4 has an empty object in `body` for every request.
  const value = given ?? (request.readableDidRead ? (request as { body?: unknown }).body : undefined);
  if (value === undefined) {
    if (request.readableDidRead) throw new Error("the body was read before: pass it as the third argument");
    return undefined;
  }
  if (typeof value === "string") return value;
  return value instanceof Uint8Array ? new Uint8Array(value) : JSON.stringify(value);
}

/** Sends the answer at the pace of its receiver; without the receiver, the answer's body is cancelled. */
async function send(answer: Response, response: ServerResponse): Promise<void> {
  response.statusCode = answer.status;
  for (const [name, value] of answer.headers) if (name !== "set-cookie") response.setHeader(name, value);
  const cookies = answer.headers.getSetCookie();
  if (cookies.length > 0) response.setHeader("set-cookie", cookies);
  if (!answer.body) {
    response.end();
    return;
  }
  // It fails if the receiver has left.
  await pipeline(Readable.fromWeb(answer.body as ReadableStream), response).catch(() => {});
}
