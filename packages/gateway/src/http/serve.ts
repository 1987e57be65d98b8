/**
 * What every request passes, whatever its route: checks, authentication, limits, the handler, and the way in which
 * errors are told.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { GatewayError } from "../errors.js";
import type { Admitted } from "./auth.js";
import { parseBody, readBody } from "./body.js";
import type { Buckets } from "./buckets.js";
import { checkHead, type Door, type HeadLimits } from "./checks.js";
import { cookieNameOf } from "./cookie.js";
import { JSON_HEADERS } from "./headers.js";
import { type Failure, failureOf, failureText, HttpError } from "./http-error.js";
import type { GatewayMetrics } from "./metrics-gateway.js";
import type { Places } from "./places.js";
import type { Asked, Route, Services } from "./route.js";
import { isObject, type ObjectSchema, problemOf, readQuery } from "./schema.js";

/** What it takes to serve a request. */
export interface Serving {
  readonly services: Services;
  readonly places: Places;
  readonly head: HeadLimits;
  /** Bytes of a body, for routes that say nothing else. */
  readonly body: number;
  readonly rates: Buckets;
  readonly counts: GatewayMetrics;
  readonly isStopping: () => boolean;
  /** Hears of every request that passed the checks, before it is handled. */
  readonly began: (route: Route, outgoing: ServerResponse, browser: string | undefined) => void;
}

/** A request on its way in. */
export interface Exchange {
  readonly request: Request;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** The `{server}` of the path, if there is one. */
  readonly server: string | undefined;
}

const NOTHING = Buffer.alloc(0);
const SERVER_NAME = /^[A-Za-z0-9._-]{1,100}$/;

/** Checks who asks: the same for requests and upgrades. */
export function admit(
  incoming: IncomingMessage,
  door: Door & Pick<Route, "auth">,
  serving: Pick<Serving, "services" | "places" | "head" | "rates">,
): { origin: string; address: string; admitted: Admitted | undefined } {
  const origin = checkHead(incoming, door, serving.places, serving.head);
  const address = incoming.socket.remoteAddress ?? "";
  const { auth } = serving.services;
  const cookie = cookieName(origin);
  if (door.auth === "public") {
    return { origin, address, admitted: auth.browserOf(incoming.headers.cookie, cookie) };
  }
  const admitted = auth.admit(incoming.headers, cookie, address);
  const retryAfter = serving.rates.take(admitted.caller.user);
  if (retryAfter > 0) throw new HttpError("rate-limited", "too many requests: wait a little", { retryAfter });
  return { origin, address, admitted };
}

const cookieNames = new Map<string, string>();
/** There are a handful of origins, and parsing one takes longer than all checks together. */
function cookieName(origin: string): string {
  const name = cookieNames.get(origin) ?? cookieNameOf(origin);
  cookieNames.set(origin, name);
  return name;
}

/** Serves one request of a route. Never rejects: what goes wrong is an answer, too. */
export async function serve(route: Route, exchange: Exchange, serving: Serving): Promise<Response> {
  const began = performance.now();
  const { counts } = serving;
  let user: string | undefined;
  let response: Response;
  let failure: Failure | undefined;
  let cause: unknown;
  try {
    const { origin, address, admitted } = admit(exchange.incoming, route, serving);
    user = admitted?.caller.user;
    serving.began(route, exchange.outgoing, admitted?.browser);
    if (serving.isStopping() && route.path !== "/healthz") {
      throw new GatewayError("stopping", "the gateway is stopping");
    }
    const asked = await readAsked(route, exchange, serving, { origin, address, admitted });
    if (route.auth === "public") response = await route.handle(asked, serving.services, admitted?.caller);
    else if (admitted) response = await route.handle(asked, serving.services, admitted.caller);
    else throw new HttpError("unauthenticated", "nobody is signed in");
  } catch (error) {
    cause = error;
    failure = failureOf(error);
    response = answerFailure(failure, serving.isStopping());
  }
  const { outgoing } = exchange;
  // Some write to the connection themselves.
  const status = outgoing.headersSent ? outgoing.statusCode : response.status;
  const seconds = (performance.now() - began) / 1000;
  counts.httpRequests.add({ method: route.method, route: route.path, status: String(status) });
  counts.httpSeconds.observe({ route: route.path }, seconds);
  // What the guard refused it has counted itself.
  if (cause instanceof HttpError) counts.denials.add({ code: cause.code });
  tell(
    serving.services.log,
    { method: route.method, route: route.path, status, user, seconds },
    failure,
    cause,
  );
  return response;
}

async function readAsked(
  route: Route,
  { request, incoming, outgoing, server }: Exchange,
  serving: Serving,
  { origin, address, admitted }: ReturnType<typeof admit>,
): Promise<Asked> {
  if (server !== undefined && !SERVER_NAME.test(server)) {
    throw new GatewayError("server-unknown", "there is no server of that name");
  }
  let bytes: Buffer = NOTHING;
  if (route.accepts !== undefined) {
    bytes = await readBody(incoming, route.limit ?? serving.body);
    // From here on `request.text()` and its kind read from memory: the adapter looks for the body under this name.
    Object.assign(incoming, { rawBody: bytes });
  }
  return {
    request,
    headers: incoming.headers,
    bytes,
    outgoing,
    origin,
    address,
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
  const problem = problemOf(value, schema, name);
  if (problem !== undefined || !isObject(value)) throw new HttpError("bad-request", problem ?? name);
  return value;
}

function readKey({ headers }: IncomingMessage): string | undefined {
  const key = headers["idempotency-key"];
  if (key === undefined || (typeof key === "string" && /^[\x20-\x7e]{1,200}$/.test(key))) return key;
  throw new HttpError("bad-request", "Idempotency-Key must be 1 to 200 printable ASCII characters");
}

/** The answer that tells what went wrong. */
export function answerFailure(failure: Failure, isStopping = false): Response {
  const headers = { ...JSON_HEADERS, ...failure.headers, ...(isStopping ? { connection: "close" } : {}) };
  return new Response(failureText(failure), { status: failure.status, headers });
}

/** What the listener writes down of a request: never its address, which may have a secret in its query. */
interface Told {
  method: string;
  route: string;
  status: number;
  user: string | undefined;
  seconds: number;
}

function tell(log: Services["log"], told: Told, failure: Failure | undefined, cause: unknown): void {
  if (!failure) log.debug(told, "served");
  else if (failure.status >= 500) log.error({ ...told, code: failure.code, err: cause }, "failed");
  else log.info({ ...told, code: failure.code }, "refused");
}
