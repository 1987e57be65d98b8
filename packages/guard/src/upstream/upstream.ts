/**
 * The server behind a view, as its bridge sees it.
 *
 * @module
 */
import type { JsonText, Params, Progress, Result } from "@vitrine/protocol";

/** Methods that a view may call on its own server. */
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

/** Notifications of a server that its views receive. */
export type UpstreamNotification =
  | "notifications/tools/list_changed"
  | "notifications/resources/list_changed"
  | "notifications/resources/updated"
  | "notifications/prompts/list_changed";

/** The server's capabilities. */
export interface ServerCapabilities {
  tools?: { listChanged?: boolean | undefined } | undefined;
  resources?: { listChanged?: boolean | undefined; subscribe?: boolean | undefined } | undefined;
  prompts?: { listChanged?: boolean | undefined } | undefined;
  completions?: object | undefined;
  logging?: object | undefined;
  tasks?:
    | { list?: object | undefined; cancel?: object | undefined; requests?: object | undefined }
    | undefined;
  /** Extensions by their names, such as `io.modelcontextprotocol/tasks`. */
  extensions?: Readonly<Record<string, unknown>> | undefined;
}

/** Options of one request to the server. */
export interface UpstreamRequestOptions {
  signal?: AbortSignal | undefined;
  /** Requests progress, and receives it. */
  onprogress?: ((progress: Progress) => void) | undefined;
}

/**
 * A server, shared by all of its views. Anything that can send it requests works: the official client, a
 * WebSocket to a back end, an object in a test.
 */
export interface Upstream {
  /** The server's identity: stable after a reconnect, and unique, because consent is stored by it. */
  readonly server: string;
  readonly capabilities: ServerCapabilities;
  /** Why the server is gone for good: its views read it in the error of each request. Such a server has no capabilities. */
  readonly gone?: string | undefined;
  /** Sends a request. A large result may be JSON text: see {@link JsonText}. */
  request<M extends UpstreamMethod>(
    method: M,
    params: Params<M>,
    options?: UpstreamRequestOptions,
  ): Promise<Result<M> | JsonText>;
  /** Adds a listener for the server's notifications; returns a function that removes it. */
  listen(listener: (method: UpstreamNotification, params: Record<string, unknown>) => void): () => void;
}
