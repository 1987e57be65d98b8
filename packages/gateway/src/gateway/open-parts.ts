/**
 * Opens the parts of a gateway, with its metrics and the alarm of its audit log.
 *
 * @module
 */
import type { GatewaySettings } from "../config/config.js";
import { createLog } from "../http/logging.js";
import { Metrics } from "../http/metrics.js";
import { gatewayMetrics } from "../http/metrics-gateway.js";
import { processMetrics } from "../http/metrics-process.js";
import { OpenPages } from "../sessions/open-pages.js";
import { balanceUsers } from "./balance-users.js";
import { openDisk } from "./disk.js";
import { followUsers } from "./node-duties.js";
import type { GatewayOptions } from "./options.js";
import { GatewayParts } from "./parts.js";
import { readingsOf } from "./upkeep.js";

/** The parts of a gateway that is not listening yet. */
export interface OpenedParts {
  readonly parts: GatewayParts;
  readonly metrics: Metrics;
}

/**
 * Opens the database and wires the parts.
 *
 * @throws {GatewayError} `config-invalid`
 */
export async function openParts(settings: GatewaySettings, options: GatewayOptions): Promise<OpenedParts> {
  const log = options.log ?? createLog();
  log.level = settings.log.level;
  const metrics = new Metrics();
  const counts = gatewayMetrics(
    metrics,
    readingsOf(() => parts),
  );
  processMetrics(metrics);
  const pages = new OpenPages();
  const store = {
    ...options.store,
    oncommit: (seconds: number): void => {
      counts.auditCommits.add();
      counts.auditSeconds.observe({}, seconds);
    },
    onalarm: ({ active, message, cause }: { active: boolean; message: string; cause?: unknown }): void => {
      log[active ? "error" : "info"]({ err: cause }, `audit log: ${message}`);
      counts.auditAlarm.set({}, active ? 1 : 0);
      pages.notify(undefined, "gateway/alarm", { active, message });
    },
  };
  const disk = await openDisk(settings, store, log, options.node);
  const parts = new GatewayParts({ settings, options, log, disk, counts, pages });
  followUsers(parts);
  balanceUsers(parts);
  return { parts, metrics };
}
