/**
 * A connection to a remote server.
 *
 * @module
 */
import {
  type AuthProvider,
  type FetchLike,
  InsufficientScopeError,
  type JSONRPCMessage,
  LOG_LEVEL_META_KEY,
  type OAuthClientProvider,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SSEClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { clientUpstream, type Upstream, type UpstreamRequestOptions } from "@vitrine/guard";
import { recordOf, VitrineError } from "@vitrine/protocol";
import { GatewayError } from "@vitrine/wire";
import { AnswerTracks } from "./answer-tracks.js";
import {
  type ConnectOptions,
  clientControls,
  handshake,
  isThere,
  type LogLevel,
  type ServerConnection,
} from "./connection.js";
import { isUnsent, UnfinishedCall } from "./cut-off.js";
import { DirectRequests, type DirectRequestsOptions } from "./direct-requests.js";
import { ANSWER_LOST, HttpTransport } from "./http-transport.js";
import { withoutAnswers } from "./input-rounds.js";
import { modernEnvelope } from "./modern-envelope.js";
import { isAboutTasks, modernTasks } from "./modern-tasks.js";
import { FOR_EVER, RequestTimeouts } from "./request-timeouts.js";
import { type SafeFetch, safeFetch } from "./safe-fetch.js";
import { answerAsk } from "./server-asks.js";
import { type AskServer, clientAsks } from "./server-requests.js";
import type { RemoteSettings } from "./settings.js";
import { withTraceHeader } from "./trace-header.js";
import { waitingFetch } from "./waiting-fetch.js";
import { hearMessages, tapTransport } from "./wire-tap.js";

/** Signs a user in to a server; implemented by `OAuthSession`. */
export interface SignIn {
  /** Holds the tokens. */
  readonly provider: AuthProvider | OAuthClientProvider;
  /** The address where the user signs in; known once a server has rejected the current credentials. */
  readonly authorizeUrl?: string | undefined;
  /** Observes every request and its response. */
  watch?(fetch: FetchLike): FetchLike;
  /** Starts a sign-in for more rights. Throws, because the user must act. */
  needsMore?(challenge: InsufficientScopeError): Promise<unknown>;
  /** Calls the listener after the user has signed in. Returns a function that removes the listener. */
  onSignedIn?(listener: () => void): () => void;
}

/** Options of {@link connectRemote}. */
export interface RemoteConnectOptions extends ConnectOptions {
  transport: RemoteSettings;
  signIn?: SignIn | undefined;
}

/**
 * Connects by Streamable HTTP or its predecessor SSE, with the official transports and a `fetch` that reaches
 * only allowed addresses.
 *
 * @throws {GatewayError} why it failed; `server-unauthorized` if a user must sign in first
 */
export async function connectRemote(options: RemoteConnectOptions): Promise<ServerConnection> {
  const { settings, transport: remote, signIn, tap, asks } = options;
  const { name, limits } = settings;
  const url = new URL(remote.url);
  const safe = safeFetch({
    url: remote.url,
    headers: remote.headers,
    privateNetwork: remote.privateNetwork,
    message: limits.message,
    timeout: limits.timeout,
    tap,
  });
  const waiting = waitingFetch(safe.fetch);
  const fetch = signIn?.watch?.(waiting) ?? waiting;
  const common = { fetch, ...(signIn && { authProvider: signIn.provider }) };
  const transport =
    remote.type === "sse"
      ? new SSEClientTransport(url, {
          ...common,
          fetch: (target, init) => fetch(target, withTraceHeader(init)),
        })
      : new HttpTransport(url, { ...common, tap });
  if (tap && transport instanceof SSEClientTransport) tapTransport(transport, tap);
  const hasSession = (): boolean => transport instanceof HttpTransport && transport.sessionId !== undefined;
  const translate = async (error: unknown): Promise<Error> => {
    if (!(error instanceof InsufficientScopeError) || !signIn?.needsMore) {
      return translateError(error, name, hasSession(), signIn);
    }
    const wanted: unknown = await signIn.needsMore(error).catch((needed: unknown) => needed);
    return translateError(wanted, name, hasSession(), signIn);
  };
  try {
    const timeouts = new RequestTimeouts(limits.timeout);
    const client = await handshake(transport, options, timeouts);
    const tracks = new AnswerTracks(transport);
    let end: (reason: GatewayError) => void = () => {};
    const ended = new Promise<GatewayError>((resolve) => {
      end = resolve;
    });
    let isOver = false;
    client.onclose = () => {
      isOver = true;
      requests?.close(new GatewayError("server-exited", `the connection to ${name} was closed`));
      end(new GatewayError("server-exited", `the connection to ${name} was closed`));
    };
    if (transport instanceof SSEClientTransport) {
      // The transport would open a new stream by itself, which the server sees as a new session without a
      // handshake.
      client.onerror = (error) => {
        if (error.name === "SseError" || "event" in error) void client.close();
      };
    }
    const level: LogLevel = {};
    const isModern = client.getProtocolEra() === "modern";
    const answer: DirectRequestsOptions["answer"] =
      asks && ((request, signal) => answerAsk(asks, timeouts, request, signal));
    const requests =
      isModern && transport instanceof HttpTransport
        ? requestsOver(transport, {
            timeouts,
            answer,
            envelope: modernEnvelope({
              version: client.getNegotiatedProtocolVersion(),
              info: options.info,
              asks,
              level,
            }),
          })
        : undefined;
    const tasks = requests && modernTasks({ requests, answer });
    const translation: Translation = { timeouts, tracks, translate, level: () => isModern && level.current };
    const connection: ServerConnection = {
      // The client's own timeout is too short for a user's answer.
      upstream: translated(clientUpstream(client, { server: name, timeout: FOR_EVER }), translation),
      ask:
        requests && tasks
          ? modernAsks(requests, tasks, translatedAsks(clientAsks(client, FOR_EVER), translation), translate)
          : translatedAsks(clientAsks(client, FOR_EVER), translation),
      ...clientControls(client, level),
      info: client.getServerVersion(),
      protocolVersion: client.getNegotiatedProtocolVersion(),
      get isOver() {
        return isOver;
      },
      ended,
      ping: (timeout) => isThere(client, timeout),
      close: () => closeAll(transport, () => client.close(), safe),
    };
    hearMessages(transport, (message) => connection.onmessage?.(message));
    if (transport instanceof HttpTransport) transport.onstream = (event) => connection.onstream?.(event);
    return connection;
  } catch (error) {
    await transport.close().catch(() => {});
    safe.close();
    throw await translate(error);
  }
}

/** Ends the session on the server, and closes this end whether or not the server responds. */
async function closeAll(
  transport: SSEClientTransport | HttpTransport,
  close: () => Promise<void>,
  safe: SafeFetch,
): Promise<void> {
  try {
    if (transport instanceof HttpTransport) await transport.leave();
  } finally {
    await close().finally(() => safe.close());
  }
}

interface Translation {
  timeouts: RequestTimeouts;
  tracks: AnswerTracks;
  translate: (error: unknown) => Promise<Error>;
  /** The level of log lines that goes with every request. */
  level: () => string | false | undefined;
}

const translated = (upstream: Upstream, translation: Translation): Upstream => ({
  server: upstream.server,
  get capabilities() {
    return upstream.capabilities;
  },
  request: (method, params, options = {}) =>
    run(translation, method, options, (given) =>
      upstream.request(method, withLevel(withoutAnswers(params), translation.level()), given),
    ),
  listen: (listener) => upstream.listen(listener),
});

const translatedAsks =
  (ask: AskServer, translation: Translation): AskServer =>
  (method, params, { asWritten, ...options } = {}) =>
    run(translation, method, options, (given) =>
      ask(method, withLevel(withoutAnswers(params), translation.level()), { ...given, asWritten }),
    );

/**
 * Sends requests past the official client that it does not know: about tasks of revision 2026-07-28, and those that
 * a user writes.
 */
const modernAsks =
  (
    requests: DirectRequests,
    tasks: AskServer,
    others: AskServer,
    translate: Translation["translate"],
  ): AskServer =>
  async (method, params, { asWritten = false, ...options } = {}) => {
    const isTask = isAboutTasks(method, params);
    if (!asWritten && !isTask) return others(method, params, options);
    try {
      return await (asWritten ? requests.request(method, params, options) : tasks(method, params, options));
    } catch (error) {
      throw await translate(error);
    }
  };

/** Requests of the gateway's own over a transport that the official client uses too. */
function requestsOver(
  transport: HttpTransport,
  options: Omit<DirectRequestsOptions, "send">,
): DirectRequests {
  const requests: DirectRequests = new DirectRequests({
    ...options,
    send: (text) => {
      const message = JSON.parse(text) as JSONRPCMessage;
      transport.send(message).catch((error: unknown) => {
        if ("id" in message) requests.fail(String(message.id), error);
      });
    },
  });
  const { onmessage } = transport;
  transport.onmessage = (message, extra) => {
    if (!requests.take({ ...message })) onmessage?.call(transport, message, extra);
  };
  return requests;
}

/** Makes a request with a timeout, and translates its error. */
const run = <T>(
  { timeouts, tracks, translate }: Translation,
  method: string,
  options: UpstreamRequestOptions,
  request: (options: UpstreamRequestOptions) => Promise<T>,
): Promise<T> =>
  tracks.run(
    method,
    () => timeouts.run(method, options, request),
    async (error, isUnfinished) => {
      const reported = await translate(error);
      const isCancelled = options.signal?.aborted && !isUnsent(reported);
      return isUnfinished && !isCancelled ? new UnfinishedCall(reported) : reported;
    },
  );

/** The params with the level of log lines in `_meta`. */
const withLevel = <P extends object>(params: P, level: string | false | undefined): P =>
  level
    ? { ...params, _meta: { ...recordOf(recordOf(params)["_meta"]), [LOG_LEVEL_META_KEY]: level } }
    : params;

/** Error codes that occur before anything is sent. */
const UNSENT = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"]);

/** Converts an error into a `GatewayError`. Errors that the server itself returned pass unchanged. */
function translateError(
  error: unknown,
  name: string,
  hasSession: boolean,
  signIn: SignIn | undefined,
): Error {
  const { code, data, message, cause } = recordOf(error);
  if (data === ANSWER_LOST) {
    return new GatewayError("server-exited", `${name}: the connection was cut before the answer`, {
      cause: error,
    });
  }
  const status = error instanceof SdkHttpError ? error.status : undefined;
  if (error instanceof UnauthorizedError || status === 401) {
    const authorizeUrl = signIn?.authorizeUrl;
    const what = authorizeUrl ? "sign in to it first" : "it needs credentials: set its headers, or use OAuth";
    return new GatewayError("server-unauthorized", `${name}: ${what}`, {
      cause: error,
      data: { authorizeUrl },
    });
  }
  if (status === 404 && hasSession) {
    return new GatewayError("server-exited", `${name} has ended the session`, {
      cause: error,
      data: { unsent: true, session: "lost" },
    });
  }
  if (status !== undefined && status >= 300 && status < 400) {
    const message = `${name} redirects to another origin, which is not followed: if that is meant, set its "url" to it`;
    return new GatewayError("address-forbidden", message, { cause: error, data: { status } });
  }
  if (status !== undefined) {
    return new GatewayError("server-failed", `${name} answered with HTTP ${status}`, {
      cause: error,
      data: { status },
    });
  }
  if (error instanceof VitrineError && code !== "closed") return error;
  if (typeof code === "number") return new VitrineError(code, String(message), { cause: error, data });
  // The client wraps errors of its probe.
  const inner = cause ?? Object(data)["cause"];
  if (code === SdkErrorCode.EraNegotiationFailed && inner)
    return translateError(inner, name, hasSession, signIn);
  const unsent = UNSENT.has(String(code));
  if (error instanceof SdkError) {
    return new GatewayError("server-failed", `${name}: ${message}`, { cause: error });
  }
  return new GatewayError(
    unsent ? "server-failed" : "server-exited",
    `${name} could not be reached: ${message}`,
    { cause: error, ...(unsent && { data: { unsent } }) },
  );
}
