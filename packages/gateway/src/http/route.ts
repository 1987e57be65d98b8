/**
 * The definition of a route. The router, the OpenAPI document and the tests use the same table of routes.
 *
 * @module
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Answered, HttpAnswer } from "./answer.js";
import type { Caller, GatewayApi } from "./api.js";
import type { Authentication } from "./auth.js";
import type { AccessRules } from "./checks.js";
import type { Log } from "./logging.js";
import type { Metrics } from "./metrics.js";
import type { ObjectSchema, OpenApiSchema } from "./schema.js";
import type { StaticFiles } from "./static.js";

/** The parts of a request that transports read. */
export type TransportRequest = Pick<CheckedRequest, "headers" | "bytes">;

/** Transports for the frames of browser sessions. */
export interface SessionTransports {
  /** Takes over a WebSocket after checks and authentication. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, caller: Caller): void;
  /** Receives frames of a page by POST. */
  frames(asked: TransportRequest, caller: Caller): Promise<HttpAnswer>;
  /** Sends frames to a page as an event stream. */
  events(asked: TransportRequest, outgoing: ServerResponse, caller: Caller): Answered;
}

/** Dependencies of handlers. */
export interface Services {
  readonly api: GatewayApi;
  readonly auth: Authentication;
  readonly transports: SessionTransports;
  readonly metrics: Metrics;
  readonly log: Log;
  /** The workbench's files, if it is served. */
  readonly files?: StaticFiles | undefined;
  /** The text of the OpenAPI document. */
  readonly openapi: () => string;
}

/** A request that passed all checks. */
export interface CheckedRequest {
  /** The raw path and query. */
  readonly address: string;
  readonly headers: IncomingHttpHeaders;
  /** The raw body. */
  readonly bytes: Buffer;
  readonly outgoing: ServerResponse;
  /** The gateway's origin that the request was sent to. */
  readonly origin: string;
  /** The address of the client. */
  readonly from: string;
  /**
   * Aborts when the caller disconnects. Created on first use, because it costs as much as all checks
   * together.
   */
  readonly signal: AbortSignal;
  /** The browser's session, if the request had a cookie. */
  readonly browser: string | undefined;
  /** The `{server}` in the path, or an empty string. */
  readonly server: string;
  readonly query: Readonly<Record<string, unknown>>;
  /** Validated by the route's schema. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The W3C `traceparent` of the request: that of the caller's trace, or of a new one. */
  readonly trace: string;
  /** `Idempotency-Key` */
  readonly key: string | undefined;
}

/** A response in the OpenAPI document. */
export interface DocumentedResponse {
  readonly description: string;
  /** `application/json` by default; undefined for no content. */
  readonly type?: string | undefined;
  readonly schema?: OpenApiSchema | undefined;
  readonly example?: unknown;
}

interface RouteBase extends AccessRules {
  /** Whether the credential of the scraper is enough. */
  readonly scraped?: boolean | undefined;
  readonly method: "GET" | "POST" | "DELETE";
  /** For example `/api/servers/{server}`; `{file}` is the rest of the path. */
  readonly path: string;
  /** The operation id in the OpenAPI document. */
  readonly id: string;
  readonly summary: string;
  readonly query?: ObjectSchema | undefined;
  /** The schema of the body; undefined if the handler reads it itself. */
  readonly body?: (ObjectSchema & { readonly example?: unknown }) | undefined;
  /** Maximum bytes of the body. */
  readonly limit?: number | undefined;
  /** Whether it accepts an `Idempotency-Key`. */
  readonly keyed?: boolean | undefined;
  /** Whether it runs until it is ended: stopping the gateway does not wait for it. */
  readonly endless?: boolean | undefined;
  /**
   * If there are several nodes: `users-node` runs it on the node that has the caller's state. `any-node` runs
   * it on the node that received the request, because it uses nothing of the caller but the sign-in and the
   * database.
   */
  readonly at: "users-node" | "any-node";
  /** Whether sending the same request again changes nothing more. */
  readonly repeatable?: boolean | undefined;
  /**
   * Whether a gateway that stops still answers it: probes and scrapers always, transports as long as the user
   * has a session.
   */
  readonly whileStopping?: "always" | "sessions" | undefined;
  readonly replies: Readonly<Record<number, DocumentedResponse>>;
}

/** A route for authenticated callers. */
export interface GuardedRoute extends RouteBase {
  readonly auth: "required";
  readonly checksToken?: undefined;
  handle(asked: CheckedRequest, services: Services, caller: Caller): Answered | Promise<Answered>;
}

/** A route for everybody who passes the checks; `caller` is set if authenticated. */
export interface PublicRoute extends RouteBase {
  readonly auth: "public";
  /** Whether it checks a token that is sent: a wrong one is rejected. */
  readonly checksToken?: boolean | undefined;
  handle(asked: CheckedRequest, services: Services, caller: Caller | undefined): Answered | Promise<Answered>;
}

/** A row of the table. */
export type Route = GuardedRoute | PublicRoute;
