/**
 * Restores a view's subscriptions at the server that replaces its old one.
 *
 * @module
 */
import { setTimeout as wait } from "node:timers/promises";
import { isRefusal } from "@vitrine/guard";
import { recordOf } from "@vitrine/protocol";
import type { Server } from "@vitrine/servers";
import { backoff } from "@vitrine/servers/support";
import { GatewayError } from "@vitrine/wire";

/** Options of {@link restoreSubscriptions}. */
export interface RestoreSubscriptionsOptions {
  /** The resources that are left to restore. A view that unsubscribes removes its resource. */
  readonly uris: Set<string>;
  readonly server: Pick<Server, "ready">;
  readonly signal: AbortSignal;
  subscribe(uri: string): Promise<unknown>;
  /** The view is subscribed again; changes in between were missed. */
  onrestored(uri: string): void;
  onerror(error: unknown): void;
}

/** Subscribes to every resource, and retries after temporary errors until the signal ends it. */
export async function restoreSubscriptions(options: RestoreSubscriptionsOptions): Promise<void> {
  const { uris, signal, onerror } = options;
  for (let failures = 1; uris.size > 0 && !signal.aborted; failures++) {
    try {
      await options.server.ready();
      await restoreEach(options);
    } catch (error) {
      onerror(error);
    }
    if (uris.size === 0) return;
    await wait(backoff(failures, Math.random), undefined, { signal, ref: false }).catch(() => {});
  }
}

async function restoreEach(options: RestoreSubscriptionsOptions): Promise<void> {
  const { uris, signal, subscribe, onrestored, onerror } = options;
  for (const uri of uris) {
    if (signal.aborted) return;
    try {
      await subscribe(uri);
      if (uris.delete(uri)) onrestored(uri);
    } catch (error) {
      if (signal.aborted) return;
      onerror(error);
      if (!isTemporary(error)) uris.delete(uri);
    }
  }
}

/** Whether a retry may succeed: neither the guard nor the server, whose errors have numbers, refused the subscription. */
function isTemporary(error: unknown): boolean {
  if (isRefusal(error)) return error.data.code === "rate-limited";
  return error instanceof GatewayError || typeof recordOf(error).code !== "number";
}
