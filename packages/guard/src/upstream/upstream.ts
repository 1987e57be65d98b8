/**
 * The server behind a view, as its bridge sees it.
 *
 * @module
 */
import type { JsonText, Params, Progress, Result } from "@vitrine/protocol";

/** What a view may ask of its own server. */
export type UpstreamMethod =
  | "tools/call"
  | "tools/list"
  | "resources/read"
  | "resources/list"
  | "resources/templates/list"
  | "resources/subscribe"
  | "resources/unsubscribe"
  | "prompts/list"
  | "prompts/get";

/** What a server says by itself, and its views hear. */
export type UpstreamNotification =
  | "notifications/tools/list_changed"
  | "notifications/resources/list_changed"
  | "notifications/resources/updated"
  | "notifications/prompts/list_changed";

/** What the server said it can do. */
export interface ServerCapabilities {
  tools?: { listChanged?: boolean | undefined } | undefined;
  resources?: { listChanged?: boolean | undefined; subscribe?: boolean | undefined } | undefined;
  prompts?: { listChanged?: boolean | undefined } | undefined;
}

/** Options of one request to the server. */
export interface UpstreamRequestOptions {
  signal?: AbortSignal | undefined;
  /** Asks for progress, and hears it. */
  onprogress?: ((progress: Progress) => void) | undefined;
}

/**
 * One server, shared by all of its views. Anything that can send it requests will do: the official client,
 * a WebSocket to a back end, an object in a test.
 */
export interface Upstream {
  /** Who the server is. The same name after a reconnect, and no other server's: consent is remembered by it. */
  readonly server: string;
  readonly capabilities: ServerCapabilities;
  /** Sends a request. A large result may come as the text it is: see {@link JsonText}. */
  request<M extends UpstreamMethod>(
    method: M,
    params: Params<M>,
    options?: UpstreamRequestOptions,
  ): Promise<Result<M> | JsonText>;
  /** Hears the server's notifications; any number of listeners (D3). Call what it returns to stop (D4). */
  listen(listener: (method: UpstreamNotification, params: Record<string, unknown>) => void): () => void;
}
