/**
 * The pipeline of every request: checks, authentication, limits, the handler, and errors.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { isRecord, jsonSchemaProblem } from "@vitrine/protocol";
import { GatewayError } from "@vitrine/wire";
import { tracedData, traceIdOf, traceparentOf } from "../guard/trace.js";
import type { AccessLog, LoggedRequest } from "./access-log.js";
import { type Answered, failurePage, type HttpAnswer, signalOf, write } from "./answer.js";
import { parseBody, readBody } from "./body.js";
import type { Buckets } from "./buckets.js";
import { type AccessRules, checkHead, type HeadLimits } from "./checks.js";
import { cookieNameOf } from "./cookie.js";
import type { Admission, Elsewhere } from "./elsewhere.js";
import { JSON_HEADERS } from "./headers.js";
import type { HostNames } from "./host-names.js";
import { failureOf, failureText, HttpError, type HttpErrorBody } from "./http-error.js";
import type { GatewayMetrics } from "./metrics-gateway.js";
import type { CheckedRequest, Route, Services } from "./route.js";
import type { FoundRoute } from "./router.js";
import { type ObjectSchema, readQuery } from "./schema.js";
import type { Stopping } from "./stopping.js";

/** Options of {@link serve}. */
export interface HttpServeOptions {
  readonly services: Services;
  readonly hostNames: HostNames;
  readonly head: HeadLimits;
  /** Maximum bytes of a body, for routes without their own limit. */
  readonly body: number;
  readonly rates: Buckets;
  readonly counts: GatewayMetrics;
  /** Other nodes, if there can be some. */
  readonly elsewhere?: Elsewhere | undefined;
  readonly stopping: Stopping;
  /** Logs requests, if the operator wants that. */
  readonly access: AccessLog;
  /** Called for every request that passed the checks, before it is handled. */
  readonly began: (route: Route, outgoing: ServerResponse, browser: string | undefined) => void;
}

const NOTHING = Buffer.alloc(0);
/** The status of a request whose caller has disconnected. It is counted, but never sent. */
const GONE = 499;
/** The name of the scraper in the log. No user can have it. */
const SCRAPER = "(metrics)";
const SERVER_NAME = /^[A-Za-z0-9._-]{1,100}$/;

/** Authenticates requests and upgrades. */
export async function admit(
  incoming: IncomingMessage,
  rules: AccessRules & Pick<Route, "auth" | "checksToken" | "scraped">,
  serving: Pick<HttpServeOptions, "services" | "hostNames" | "head" | "rates">,
): Promise<Admission> {
  const origin = checkHead(incoming, rules, serving.hostNames, serving.head);
  const from = incoming.socket.remoteAddress ?? "";
  const { auth } = serving.services;
  const cookie = cookieName(origin);
  await auth.recognize(incoming.headers.cookie, cookie);
  if (rules.auth === "public" && !(rules.checksToken && incoming.headers.authorization !== undefined)) {
    return { origin, from, admitted: auth.browserOf(incoming.headers.cookie, cookie) };
  }
  if (rules.scraped && auth.isScraper(incoming.headers.authorization))
    return { origin, from, admitted: { caller: { user: SCRAPER } } };
  const admitted = auth.admit(incoming.headers, cookie, from);
  takeTurn(admitted.caller.user, serving);
  return { origin, from, admitted };
}

/** Limits the rate of a caller. */
export function takeTurn(user: string, { rates }: Pick<HttpServeOptions, "rates">): void {
  const retryAfter = rates.take(user);
  if (retryAfter > 0) throw new HttpError("rate-limited", "too many requests: wait a little", { retryAfter });
}

const cookieNames = new Map<string, string>();
/** Cached: there are few origins, and parsing one takes longer than all checks together. */
function cookieName(origin: string): string {
  const name = cookieNames.get(origin) ?? cookieNameOf(origin);
  cookieNames.set(origin, name);
  return name;
}

/** Serves a request. Never rejects: errors become answers. `admitOne` checks its head. */
export async function serve(
  { route, server }: FoundRoute,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  serving: HttpServeOptions,
  admitOne: typeof admit = admit,
): Promise<void> {
  const began = performance.now();
  const { counts } = serving;
  const trail = serving.access.follow(outgoing);
  // The next request of this connection should reach another gateway.
  if (serving.stopping.isDraining) outgoing.shouldKeepAlive = false;
  const trace = traceparentOf(incoming.headers["traceparent"]);
  // Another node continues the trace.
  incoming.headers["traceparent"] = trace;
  let user: string | undefined;
  let answered: Answered;
  let failure: HttpErrorBody | undefined;
  let cause: unknown;
  try {
    const admission = await admitOne(incoming, route, serving);
    const { admitted } = admission;
    user = admitted?.caller.user;
    serving.stopping.check(route, user);
    serving.began(route, outgoing, admitted?.browser);
    answered = await answerTo({ route, server }, outgoing, serving, { ...admission, trace });
  } catch (error) {
    cause = error;
    failure = failureOf(error);
    failure.data = tracedData(failure.data, trace);
    answered = answerFailure(failure, isVisit(incoming));
  }
  // The caller has disconnected, which is not a failure.
  const isGone = outgoing.destroyed && !outgoing.headersSent;
  const status = isGone ? GONE : answered === "written" ? outgoing.statusCode : answered.status;
  const seconds = (performance.now() - began) / 1000;
  const logged: LoggedRequest = {
    method: route.method,
    route: route.path,
    status,
    user,
    seconds,
    trace: traceIdOf(trace),
  };
  if (answered !== "written" && !isGone) void send(answered, outgoing, serving.services.log, logged, trace);
  counts.httpRequests.add({ method: route.method, route: route.path, status: String(status) });
  counts.httpSeconds.observe({ route: route.path }, seconds);
  // The guard counts its own refusals.
  if (cause instanceof HttpError) counts.denials.add({ code: cause.code });
  trail?.(logged);
  logRequest(serving.services.log, logged, isGone ? undefined : failure, cause);
}

/** Sends an answer. If it cannot be sent or does not end, the connection is closed. */
async function send(
  answer: HttpAnswer,
  outgoing: ServerResponse,
  log: Services["log"],
  logged: LoggedRequest,
  traceresponse: string,
): Promise<void> {
  try {
    await write({ ...answer, headers: { ...answer.headers, traceresponse } }, outgoing);
  } catch (error) {
    if (Object(error).code === "ERR_STREAM_PREMATURE_CLOSE") log.debug(logged, "the caller disconnected");
    else log.error({ ...logged, err: error }, "an answer was cut off");
    if (outgoing.headersSent) outgoing.destroy();
    else outgoing.writeHead(500, JSON_HEADERS).end(failureText(failureOf(error)));
  }
}

/** Runs the handler, here or on the node that has the caller's state. */
async function answerTo(
  { route, server }: FoundRoute,
  outgoing: ServerResponse,
  serving: HttpServeOptions,
  admission: Admission & { readonly trace: string },
): Promise<Answered> {
  const { admitted, origin, from } = admission;
  const { elsewhere, services } = serving;
  const incoming = outgoing.req;
  if (server !== undefined && !SERVER_NAME.test(server)) {
    throw new GatewayError("server-unknown", "there is no server with this name");
  }
  const bytes =
    route.accepts === undefined ? NOTHING : await readBody(incoming, route.limit ?? serving.body, outgoing);
  admission.checkBody?.(bytes);
  if (elsewhere && admitted && route.at === "users-node" && !elsewhere.holds(admitted.caller.user)) {
    const request = { route, incoming, outgoing, bytes, origin, from, admitted };
    if (await elsewhere.answer(request)) return "written";
  }
  const asked = checkedRequest({ route, server }, outgoing, admission, bytes);
  if (route.auth === "public") return route.handle(asked, services, admitted?.caller);
  if (admitted) return route.handle(asked, services, admitted.caller);
  throw new HttpError("unauthenticated", "no user is signed in");
}

function checkedRequest(
  { route, server }: FoundRoute,
  outgoing: ServerResponse,
  { origin, from, admitted, trace }: Admission & { readonly trace: string },
  bytes: Buffer,
): CheckedRequest {
  const incoming = outgoing.req;
  let signal: AbortSignal | undefined;
  return {
    address: incoming.url ?? "/",
    headers: incoming.headers,
    bytes,
    outgoing,
    origin,
    from,
    trace,
    get signal() {
      signal ??= signalOf(outgoing);
      return signal;
    },
    browser: admitted?.browser,
    server: server ?? "",
    query: route.query ? readObject(queryOf(incoming, route.query), route.query, "the query") : {},
    body: route.body ? readObject(parseBody(bytes), route.body, "the body") : {},
    key: route.keyed ? readKey(incoming) : undefined,
  };
}

function queryOf(incoming: IncomingMessage, schema: ObjectSchema): Record<string, unknown> {
  const at = incoming.url?.indexOf("?") ?? -1;
  return at < 0 ? {} : readQuery(new URLSearchParams(incoming.url?.slice(at)), schema);
}

function readObject(value: unknown, schema: ObjectSchema, name: string): Record<string, unknown> {
  const problem = jsonSchemaProblem(value, schema, name);
  if (problem !== undefined || !isRecord(value)) throw new HttpError("bad-request", problem ?? name);
  return value;
}

function readKey({ headers }: IncomingMessage): string | undefined {
  const key = headers["idempotency-key"];
  if (key === undefined || (typeof key === "string" && /^[\x20-\x7e]{1,200}$/.test(key))) return key;
  throw new HttpError("bad-request", "Idempotency-Key must be 1 to 200 printable ASCII characters");
}

/** Whether a user opened the address: browsers mark this, and no script can forge it. */
const isVisit = ({ headers }: IncomingMessage): boolean =>
  headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document";

/** The answer for an error: a page for a user, JSON for a program. */
function answerFailure(failure: HttpErrorBody, isForPerson: boolean): HttpAnswer {
  if (isForPerson) return failurePage(failure);
  const headers = { ...JSON_HEADERS, ...failure.headers };
  return { status: failure.status, headers, body: failureText(failure) };
}

function logRequest(
  log: Services["log"],
  logged: LoggedRequest,
  failure: HttpErrorBody | undefined,
  cause: unknown,
): void {
  if (!failure) log.debug(logged, "served");
  else if (failure.status >= 500 && failure.code !== "stopping")
    log.error({ ...logged, code: failure.code, err: cause }, "failed");
  else log.info({ ...logged, code: failure.code }, "refused");
}
