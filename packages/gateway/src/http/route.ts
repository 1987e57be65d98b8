/**
 * What a route is. The router, the OpenAPI document and the tests are made from the same table of them.
 *
 * @module
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Answer, Answered } from "./answer.js";
import type { Caller, GatewayApi } from "./api.js";
import type { Authentication } from "./auth.js";
import type { Door } from "./checks.js";
import type { Log } from "./logging.js";
import type { Metrics } from "./metrics.js";
import type { ObjectSchema, Schema } from "./schema.js";
import type { StaticFiles } from "./static.js";

/** What carriers look at in a request. */
export type CarrierRequest = Pick<Asked, "headers" | "bytes">;

/** What carries the frames of browser sessions. */
export interface Carriers {
  /** Takes a WebSocket over; it was checked, and it is known who asks. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, caller: Caller): void;
  /** Frames of a page, by POST. */
  frames(asked: CarrierRequest, caller: Caller): Promise<Answer>;
  /** Frames to a page, as an event stream. */
  events(asked: CarrierRequest, outgoing: ServerResponse, caller: Caller): Answered;
}

/** What handlers stand on. */
export interface Services {
  readonly api: GatewayApi;
  readonly auth: Authentication;
  readonly carriers: Carriers;
  readonly metrics: Metrics;
  readonly log: Log;
  /** The workbench's files, if it is served. */
  readonly files?: StaticFiles | undefined;
  /** The text of the OpenAPI document. */
  readonly openapi: () => string;
}

/** A request that passed every check. */
export interface Asked {
  /** The path and the query, as they came. */
  readonly address: string;
  readonly headers: IncomingHttpHeaders;
  /** The body as it came. */
  readonly bytes: Buffer;
  readonly outgoing: ServerResponse;
  /** Which of our origins it came to. */
  readonly origin: string;
  /** The address of the machine that asks. */
  readonly from: string;
  /** Aborts when the caller goes away. Made when somebody looks at it: it costs as much as all checks together. */
  readonly signal: AbortSignal;
  /** The browser's session, if it came by cookie. */
  readonly browser: string | undefined;
  /** The `{server}` in the path, or an empty string. */
  readonly server: string;
  readonly query: Readonly<Record<string, unknown>>;
  /** As the route's schema wants it. */
  readonly body: Readonly<Record<string, unknown>>;
  /** `Idempotency-Key` */
  readonly key: string | undefined;
}

/** What a response says, for the document. */
export interface Reply {
  readonly description: string;
  /** `application/json` unless it is said otherwise; undefined for no content. */
  readonly type?: string | undefined;
  readonly schema?: Schema | undefined;
  readonly example?: unknown;
}

interface RouteBase extends Door {
  readonly method: "GET" | "POST" | "DELETE";
  /** Such as `/api/servers/{server}`; `{file}` is the rest of the path. */
  readonly path: string;
  /** Its name for programs that are made from the document. */
  readonly id: string;
  readonly summary: string;
  readonly query?: ObjectSchema | undefined;
  /** What the body must be; undefined for a body that the handler reads itself. */
  readonly body?: (ObjectSchema & { readonly example?: unknown }) | undefined;
  /** Bytes of the body. */
  readonly limit?: number | undefined;
  /** It takes an `Idempotency-Key`. */
  readonly keyed?: boolean | undefined;
  /** It goes on until somebody ends it: nobody waits for it when the gateway stops. */
  readonly endless?: boolean | undefined;
  readonly replies: Readonly<Record<number, Reply>>;
}

/** A route for callers that are known. */
export interface GuardedRoute extends RouteBase {
  readonly auth: "required";
  handle(asked: Asked, services: Services, caller: Caller): Answered | Promise<Answered>;
}

/** A route for everybody that passes the checks; `caller` is who is known all the same. */
export interface PublicRoute extends RouteBase {
  readonly auth: "public";
  handle(asked: Asked, services: Services, caller: Caller | undefined): Answered | Promise<Answered>;
}

/** One row of the table. */
export type Route = GuardedRoute | PublicRoute;
