/**
 * Background work of a gateway: metrics, and removal of stored results.
 *
 * @module
 */
import type { GatewayReadings } from "../http/metrics-gateway.js";
import type { GatewayParts } from "./parts.js";

/** Values that are read when the metrics are requested. */
export const readingsOf = (parts: () => GatewayParts): GatewayReadings => ({
  sessions: () => parts().registry.size,
  transports: () => [
    [{ kind: "websocket" }, parts().sockets.size],
    [{ kind: "http" }, parts().streams.size],
  ],
  queueDepth: () => [
    [{ queue: "pages" }, parts().registry.queued],
    [{ queue: "calls" }, parts().servers.waiting],
    [{ queue: "audit" }, parts().disk.store.audit.waiting],
  ],
  processes: () => {
    const running = new Map<string, number>();
    for (const { status } of parts().pool.all())
      if (status.driver && status.pid) running.set(status.driver, (running.get(status.driver) ?? 0) + 1);
    return [...running].map(([driver, count]) => [{ driver }, count] as const);
  },
  nodes: () => {
    const states: Record<string, number> = parts().disk.store.nodes?.states ?? {};
    return Object.entries(states).map(([state, count]) => [{ state }, count] as const);
  },
  shardsOwned: () => parts().disk.store.nodes?.owned.length ?? 0,
  leaseFailures: () => parts().disk.store.nodes?.leaseFailures ?? 0,
  leaseAge: () => (parts().disk.store.nodes?.leaseAge ?? 0) / 1000,
});

/** With `payloads: "none"` no result stays in the database, not even one stored under earlier settings. */
export function forgetResults({ settings, disk, log }: GatewayParts): void {
  if (settings.audit.payloads !== "none") return;
  disk.store.results
    .clear()
    .catch((error: unknown) => log.error({ err: error }, "stored results could not be removed"));
}
