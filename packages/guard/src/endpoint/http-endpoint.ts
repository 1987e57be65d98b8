/**
 * A host over HTTP: a back end in any framework answers what a view asks.
 *
 * @module
 */
import {
  decodeMessage,
  type HostCapabilities,
  type HostContext,
  type Implementation,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  type RequestId,
  VitrineError,
} from "@vitrine/protocol";
import type { AppDetails } from "../bridge-events.js";
import type { HostHandlers } from "../handlers.js";
import type { ServiceOptions } from "../service.js";
import type { Upstream } from "../upstream/upstream.js";
import { accepted, answerError, answerResult, type HttpFailure, readJson, statusOf } from "./http-answer.js";
import { HttpExchange, type HttpMessage, report } from "./http-exchange.js";

type Answer<T> = T | Promise<T>;

/** What a host says of itself in the answer to `ui/initialize`. */
export interface HostGreeting {
  /**
   * Details of what works: kinds of content, what the sandbox granted, `listChanged` if you carry the server's
   * notifications to the view. What works is computed from what is there; nothing can be added to it (I13).
   */
  hostCapabilities?: HostCapabilities | undefined;
  /** What the view should know of where it runs. */
  hostContext?: HostContext | undefined;
}

/** Options of {@link hostEndpoint}. `C` is what `init` makes of a request. */
export interface HostEndpointOptions<C = undefined> extends Pick<ServiceOptions, "server"> {
  /** Makes what every other callback gets: the person, the conversation. Throw a `Response` to refuse. */
  init?: ((request: Request) => Answer<C>) | undefined;
  /** The host's name and version. */
  info: Implementation;
  /** The view's own server, and the only one that it can reach (C04); `() => undefined` for none. */
  upstream: Upstream | ((context: C) => Answer<Upstream | undefined>);
  /**
   * What every call of a view passes first: `standardGuard(upstream)`. Where there are several servers, choose theirs
   * by `call.server`.
   */
  guard: NonNullable<ServiceOptions["guard"]>;
  /** What the host does. What is not there is not advertised, and refused. */
  handlers?: HostHandlers | ((context: C) => Answer<HostHandlers>) | undefined;
  /** Answers `ui/initialize`, as far as that is the host's to say. */
  initialize?: ((context: C, app: AppDetails) => Answer<HostGreeting | undefined>) | undefined;
  /** The view is ready: from now on it may be told things (L03). */
  initialized?: ((context: C) => unknown) | undefined;
  /** The view has finished: its answer to `ui/resource-teardown`, posted under that name (L08). */
  teardownResponse?: ((context: C) => unknown) | undefined;
  /** The view's instance, for the guard, which has limits for each. One for all by default. */
  view?: string | ((context: C) => string) | undefined;
  /** Bytes of a request; 1,000,000 by default. */
  maxBody?: number | undefined;
  /**
   * What a view may be told about an error that a callback threw. By default it hears the message of a
   * `VitrineError` and of errors with a JSON-RPC number, and of any other only that something failed.
   */
  explain?: ((error: unknown, context: C) => string | undefined) | undefined;
  /** Hears what failed, and what was dropped. */
  onreport?: ((error: VitrineError) => void) | undefined;
}

const MAX_BODY = 1_000_000;

/**
 * The host end of views, as a function from `Request` to `Response`: one JSON-RPC message in, its answer out. It gives
 * the same answers as a `Bridge`.
 *
 * | what came                          | status | code   |
 * | ---------------------------------- | ------ | ------ |
 * | a request that worked              | 200    |        |
 * | a tool call that failed            | 200    | `isError: true` |
 * | a notification, whatever it says   | 202    |        |
 * | no JSON                            | 400    | -32700 |
 * | no request, or a batch             | 400    | -32600 |
 * | bad params; `data.field` says which | 400   | -32602 |
 * | an unknown method, or one that this host does not support | 404 | -32601 |
 * | not POST, too large, not `application/json` | 405, 413, 415 | -32600 |
 * | refused by the guard               | 403, 413, 429 | -32000, and `data.code` |
 * | a callback or the server failed    | 500    | -32603, or its own |
 *
 * `data.message` always says what is wrong.
 *
 * HTTP has no memory, and neither has this: whoever carries messages to the view must send none before
 * `ui/notifications/initialized` (L03) and keep what came too early (L11). A `Bridge` in the page does, with
 * `httpUpstream` behind it. For the same reason there are no subscriptions and no progress, a request is cancelled by
 * ending its POST, and `requestDisplayMode` must know by itself which modes the host and the view have (I07).
 *
 * @throws {VitrineError} `invalid` without one of the required options
 *
 * @example
 * ```ts source="./http-endpoint.examples.ts#hostEndpoint"
 * const handle = hostEndpoint({
 *   init: async (request) => {
 *     const chat = await chatOf(request);
 *     if (!chat) throw new Response("Sign in first", { status: 401 });
 *     return chat;
 *   },
 *   info: { name: "my-chat", version: "1.0.0" },
 *   upstream,
 *   guard: standardGuard(upstream),
 *   view: (chat) => chat.id,
 *   handlers: (chat) => ({ message: ({ content }) => chat.add(content) }),
 *   initialize: (chat) => ({ hostContext: { theme: chat.theme } }),
 * });
 * // In Hono, for example: app.post("/views", (c) => handle(c.req.raw))
 * ```
 */
export function hostEndpoint<C = undefined>(
  options: HostEndpointOptions<C>,
): (request: Request) => Promise<Response> {
  for (const name of ["info", "upstream", "guard"] as const) {
    if (!options?.[name]) throw new VitrineError("invalid", `hostEndpoint: the option "${name}" is missing`);
  }
  return async (request) => {
    const body = await readJson(request, options.maxBody ?? MAX_BODY);
    if (!body.ok) return answerError(null, body.failure);
    const message = readMessage(body.value);
    if ("failure" in message) {
      if (message.answer) return answerError(message.id, message.failure);
      report(options, new VitrineError("invalid", `a notification was dropped: ${message.failure.message}`));
      return accepted();
    }
    const { id } = message;
    const exchange = new HttpExchange(options, request, message);
    try {
      const result = await exchange.serve();
      return id === undefined ? accepted() : answerResult(id, result);
    } catch (error) {
      if (error instanceof Response) return error;
      const failure = exchange.fail(error);
      return id === undefined ? accepted() : answerError(id, failure);
    }
  };
}

type Unreadable = { failure: HttpFailure; id: RequestId | null; answer: boolean };

function readMessage(data: unknown): HttpMessage | Unreadable {
  const noRequest = (message: string): Unreadable => {
    return { failure: { status: 400, code: INVALID_REQUEST, message }, id: null, answer: true };
  };
  if (Array.isArray(data)) return noRequest("batches are not served: send each message by itself");
  const { jsonrpc, id, method } = Object(data) as Record<string, unknown>;
  // A request of the host's, whose answer is told under its name: with an id or without.
  if (method === "ui/resource-teardown" && jsonrpc === "2.0" && id === undefined)
    return { method, params: {} };
  const decoded = decodeMessage(data);
  if (!decoded.ok) {
    const { rpcCode: code, field, message } = decoded;
    if (code === INVALID_REQUEST) return { ...noRequest(message), id: decoded.id };
    const failure =
      code === METHOD_NOT_FOUND
        ? { status: 404, code, message: "Method not found", data: { message: message.slice(0, 100) } }
        : { status: statusOf(code), code, message, data: { field } };
    return { failure, id: decoded.id, answer: decoded.answer };
  }
  if (decoded.kind === "request" || decoded.kind === "notification") return decoded.message as HttpMessage;
  return noRequest("an answer: only requests and notifications are served here");
}
