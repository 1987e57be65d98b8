/**
 * What the routes can do: the gateway behind its listener.
 *
 * @module
 */
import type { UpstreamMethod } from "@vitrine/guard";
import type { JsonText, ToolVisibility } from "@vitrine/protocol";
import type { ServerIdentity } from "@vitrine/servers";
import type { ServerCatalogue, ServerSummary } from "@vitrine/wire";
import type { AuditQuery, AuditRow, ConsentRecord, Verification } from "../store/store.js";

/** Who asks. Made by the one authentication, and by nothing else. */
export interface Caller {
  readonly user: string;
  /**
   * Where a cookie let somebody in: for connections that stay open, to be called now and then. Says whether the browser
   * was used since, and ends its connections if its sign-in is over.
   */
  readonly meet?: ((isUsed: boolean) => void) | undefined;
}

/** Options of {@link GatewayApi.request}. */
export interface ApiRequestOptions {
  /** `Idempotency-Key`: the same key and params give the same answer, and run once (attack C20). */
  key?: string | undefined;
  /** The server that is meant; the one that has the name now by default. */
  identity?: ServerIdentity | undefined;
  signal?: AbortSignal | undefined;
}

/** What the HTTP surface stands on. */
export interface GatewayApi {
  servers(caller: Caller): ServerSummary[];
  /** All of it; of its tools those that `who` may call, if it is given (C02). */
  catalogue(caller: Caller, server: string, who?: ToolVisibility): Promise<ServerCatalogue>;
  /** Starts a server that waits, failed, or needed somebody to sign in. */
  start(caller: Caller, server: string): Promise<ServerSummary>;
  /** Asks a server as one of its views would, through the guard. */
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
   * Takes the code that an authorization server sent the person's browser back with. `caller` is who is signed in to
   * the gateway in that browser, if anybody: whoever began to sign in to the server must be the one who comes back.
   */
  authorized(query: URLSearchParams, caller?: Caller): Promise<{ server: string }>;
  audit: {
    query(caller: Caller, query: AuditQuery): Promise<AuditRow[]>;
    rows(caller: Caller, query: AuditQuery): AsyncIterable<AuditRow>;
    verify(caller: Caller): Promise<Verification>;
  };
  consents: {
    list(caller: Caller): Promise<ConsentRecord[]>;
    revoke(
      caller: Caller,
      key: {
        server: string;
        identity?: string | undefined;
        method?: string | undefined;
        subject?: string | undefined;
      },
    ): Promise<number>;
  };
  /** Whether it can do its work: the audit log can be written. */
  ready(): { ok: boolean; problems: string[] };
}
