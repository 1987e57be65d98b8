/**
 * Resource subscriptions that outlive a server's connections.
 *
 * @module
 */
import { isRecord, recordOf } from "@vitrine/protocol";
import { GatewayError } from "@vitrine/wire";
import type { ServerConnection } from "./connection.js";
import { backoff, type Clock } from "./support/clock.js";

/** Options of {@link KeptSubscriptions}. */
export interface KeptSubscriptionsOptions {
  clock: Clock;
  /** The resource may have changed while nobody was subscribed to it. */
  onmissed(uri: string): void;
  /** Receives why a subscription could not be restored. It is retried unless the server refused it. */
  onerror(error: unknown, connection: ServerConnection): void;
}

/** The resources that views subscribed to, restored on every new connection. */
export class KeptSubscriptions {
  readonly #options: KeptSubscriptionsOptions;
  readonly #uris = new Set<string>();
  readonly #retries = new Set<() => void>();
  #connection: ServerConnection | undefined;

  constructor(options: KeptSubscriptionsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#uris.size;
  }

  /** Forgets an unsubscribed resource when it is requested: the server may be away, and restores nothing then. */
  requested(method: string, params: unknown): void {
    const uri = uriOf(params);
    if (method === "resources/unsubscribe" && uri !== undefined) this.#uris.delete(uri);
  }

  /** The server answered a request without an error. */
  answered(method: string, params: unknown): void {
    const uri = uriOf(params);
    if (method === "resources/subscribe" && uri !== undefined) this.#uris.add(uri);
  }

  /** Subscribes again, on a new connection. */
  restore(connection: ServerConnection): void {
    this.#connection = connection;
    for (const uri of this.#uris) this.#subscribe(uri, connection, 0);
    this.missed();
  }

  /** Reports every subscribed resource as possibly changed. */
  missed(): void {
    for (const uri of this.#uris) this.#options.onmissed(uri);
  }

  /** The connection is out of use. */
  leave(): void {
    this.#connection = undefined;
    for (const cancel of this.#retries) cancel();
    this.#retries.clear();
  }

  #subscribe(uri: string, connection: ServerConnection, failures: number): void {
    const { onmissed, onerror } = this.#options;
    connection.upstream.request("resources/subscribe", { uri }).then(
      () => failures > 0 && this.#uris.has(uri) && onmissed(uri),
      (error: unknown) => {
        // The next connection restores it.
        if (connection.isOver || this.#connection !== connection) return;
        if (isRefused(error)) this.#uris.delete(uri);
        else this.#retry(uri, connection, failures + 1);
        onerror(error, connection);
      },
    );
  }

  #retry(uri: string, connection: ServerConnection, failures: number): void {
    const { clock } = this.#options;
    const cancel = clock.after(backoff(failures, clock.random), () => {
      this.#retries.delete(cancel);
      if (this.#uris.has(uri)) this.#subscribe(uri, connection, failures);
    });
    this.#retries.add(cancel);
  }
}

function uriOf(params: unknown): string | undefined {
  const uri = isRecord(params) ? params["uri"] : undefined;
  return typeof uri === "string" ? uri : undefined;
}

/** Whether the server itself said no: its errors have numbers, as have the gateway's own. */
const isRefused = (error: unknown): boolean =>
  typeof recordOf(error).code === "number" && !(error instanceof GatewayError);
