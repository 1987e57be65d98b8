/**
 * A host over HTTP: a back end in any framework answers a view's requests.
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
  recordOf,
  VitrineError,
} from "@vitrine/protocol";
import type { AppDetails } from "../bridge-events.js";
import type { HostHandlers } from "../handlers.js";
import type { ServiceOptions } from "../service.js";
import type { Upstream } from "../upstream/upstream.js";
import { accepted, answerError, answerResult, type HttpFailure, readJson, statusOf } from "./http-answer.js";
import { HttpExchange, type HttpMessage, report } from "./http-exchange.js";

type Answer<T> = T | Promise<T>;

/** The host's part of the answer to `ui/initialize`. */
export interface HostGreeting {
  /**
   * Details of capabilities: kinds of content, grants of the sandbox, `listChanged` if you pass on the
   * server's notifications. The capabilities themselves are derived from what exists; nothing can be added.
   */
  hostCapabilities?: HostCapabilities | undefined;
  /** Host context for the view. */
  hostContext?: HostContext | undefined;
}

/** Options of {@link hostEndpoint}. `C` is the result of `init`. */
export interface HostEndpointOptions<C = undefined> extends Pick<ServiceOptions, "server"> {
  /** Creates the context of all other callbacks: the user, the conversation. Throw a `Response` to refuse. */
  init?: ((request: Request) => Answer<C>) | undefined;
  /** The host's name and version. */
  info: Implementation;
  /** The view's own server, the only one that it can reach; `() => undefined` for none. */
  upstream: Upstream | ((context: C) => Answer<Upstream | undefined>);
  /**
   * Guards every call of a view: `standardGuard(upstream)`. With several servers, select the guard by
   * `call.server`.
   */
  guard: NonNullable<ServiceOptions["guard"]>;
  /** The host's handlers. Missing ones are not announced, and refused. */
  handlers?: HostHandlers | ((context: C) => Answer<HostHandlers>) | undefined;
  /** Provides the host's part of the answer to `ui/initialize`. */
  initialize?: ((context: C, app: AppDetails) => Answer<HostGreeting | undefined>) | undefined;
  /** The view is ready: from now on it may receive messages. */
  initialized?: ((context: C) => unknown) | undefined;
  /** The view has finished: its answer to `ui/resource-teardown`, posted under that name. */
  teardownResponse?: ((context: C) => unknown) | undefined;
  /** The view's instance, for the guard's limits. One for all by default. */
  view?: string | ((context: C) => string) | undefined;
  /** Maximum bytes of a request; 1,000,000 by default. */
  maxBody?: number | undefined;
  /**
   * The message for a view about a callback's error. By default, a view gets the message of a `VitrineError`
   * and of errors with a JSON-RPC code; for any other, only that something failed.
   */
  explain?: ((error: unknown, context: C) => string | undefined) | undefined;
  /** Called with failures and dropped messages. */
  onreport?: ((error: VitrineError) => void) | undefined;
}

const MAX_BODY = 1_000_000;

/**
 * The host side of views, as a function from `Request` to `Response`: one JSON-RPC message in, its answer out. It gives
 * the same answers as a `Bridge`.
 *
 * | request                            | status | code   |
 * | ---------------------------------- | ------ | ------ |
 * | a request that worked              | 200    |        |
 * | a tool call that failed            | 200    | `isError: true` |
 * | a notification, whatever it says   | 202    |        |
 * | not JSON                           | 400    | -32700 |
 * | not a request, or a batch             | 400    | -32600 |
 * | bad params; `data.field` says which | 400   | -32602 |
 * | an unknown method, or one that this host does not support | 404 | -32601 |
 * | not POST, too large, not `application/json` | 405, 413, 415 | -32600 |
 * | refused by the guard               | 403, 413, 429 | -32000, and `data.code` |
 * | a callback or the server failed    | 500    | -32603, or its own |
 *
 * `data.message` always explains the problem.
 *
 * The endpoint is stateless: the sender of messages to the view must send none before
 * `ui/notifications/initialized`, and queue earlier ones. A `Bridge` in the page does so, with `httpUpstream`
 * behind it. For the same reason there are no subscriptions and no progress, a request is cancelled by aborting its
 * POST, and `requestDisplayMode` must know by itself which modes the host and the view support.
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
  const { jsonrpc, id, method } = recordOf(data);
  // A request of the host. Its answer is sent under the request's name, with an id or without.
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
