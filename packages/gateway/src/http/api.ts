/**
 * The interface between the routes and the gateway.
 *
 * @module
 */
import type { AskLevel, UpstreamMethod } from "@vitrine/guard";
import type { JsonText, ToolVisibility } from "@vitrine/protocol";
import type { ServerIdentity } from "@vitrine/servers";
import type { ServerCatalogue, ServerSummary } from "@vitrine/wire";
import type {
  AuditQuery,
  ConsentRecord,
  SessionConsent,
  StoredAuditRow,
  Verification,
} from "../store/store.js";

/** The caller. Created only by the authentication. */
export interface Caller {
  readonly user: string;
  /**
   * Set for callers with a cookie: long-lived connections call it now and then. Reports whether the browser
   * was used since, and ends its connections if its sign-in has expired.
   */
  readonly meet?: ((isUsed: boolean) => void) | undefined;
}

/** Options of {@link GatewayApi.request}. */
export interface ApiRequestOptions {
  /** `Idempotency-Key`: the same key and params run once and get the same answer. */
  key?: string | undefined;
  /** The server that is meant; the one that has the name now by default. */
  identity?: ServerIdentity | undefined;
  signal?: AbortSignal | undefined;
  /** The W3C `traceparent` of the request. */
  trace?: string | undefined;
}

/** The operations behind the HTTP API. */
export interface GatewayApi {
  servers(caller: Caller): ServerSummary[];
  /** The catalogue; if `who` is given, only the tools that it may call. */
  catalogue(caller: Caller, server: string, who?: ToolVisibility): Promise<ServerCatalogue>;
  /** Starts a server that is waiting, failed, or required a sign-in. */
  start(caller: Caller, server: string): Promise<ServerSummary>;
  /** Sends a request to a server like one of its views, through the guard. */
  request(
    caller: Caller,
    server: string,
    method: UpstreamMethod,
    params: Record<string, unknown>,
    options: ApiRequestOptions,
  ): Promise<object | JsonText>;
  /** The host endpoint for views of a server: JSON-RPC in, JSON-RPC out. */
  host(caller: Caller, server: string, request: Request): Promise<Response>;
  /**
   * Handles the redirect of an authorization server to the user's browser. `caller` is the user who is signed
   * in to the gateway in that browser, if any: the user who started the sign-in must complete it.
   */
  authorized(query: URLSearchParams, caller?: Caller): Promise<{ server: string }>;
  audit: {
    query(caller: Caller, query: AuditQuery): Promise<StoredAuditRow[]>;
    rows(caller: Caller, query: AuditQuery): AsyncIterable<StoredAuditRow>;
    verify(caller: Caller): Promise<Verification>;
  };
  consents: {
    list(caller: Caller): Promise<ConsentRecord[]>;
    /** Answers in memory, which end with a browser session or a view. */
    session(caller: Caller): SessionConsent[];
    revoke(
      caller: Caller,
      key: {
        server: string;
        identity?: string | undefined;
        method?: string | undefined;
        subject?: string | undefined;
        /** Of answers about tools: those for apps, or those for the model. */
        actor?: ToolVisibility | undefined;
      },
    ): Promise<number>;
    /** Sets how often the user is asked about the apps of a server: by default, of the one that has the name now. */
    setLevel(
      caller: Caller,
      server: { name: string; identity?: ServerIdentity | undefined },
      level: AskLevel,
    ): Promise<void>;
  };
  /** Whether the gateway is operational: the audit log can be written, and it is not stopping. */
  ready(): { ok: boolean; reason?: "draining"; problems: string[] };
}
