/**
 * The gateway's own metrics, log lines and audit rows.
 *
 * @module
 */

import type { CatalogueChange, Server, ServerFault } from "@vitrine/servers";
import type { OpenedView } from "@vitrine/wire";
import type { GuardMetrics } from "../guard/guard-options.js";
import type { Log } from "../http/logging.js";
import type { GatewayMetrics } from "../http/metrics-gateway.js";
import type { AuditEntry, AuditLog, ServerKey } from "../store/store.js";

/** Counts decisions of guards, and outcomes of calls. */
export function guardMetrics({ calls, callSeconds, callBytes, denials }: GatewayMetrics): GuardMetrics {
  return {
    decided: (_call, decision, reason, paramsSize = 0) => {
      if (decision === "refused") denials.add({ code: reason });
      else callBytes.observe({ direction: "params" }, paramsSize);
    },
    ended: ({ server, method }, outcome, duration, size) => {
      calls.add({ server, method, outcome });
      callSeconds.observe({ server, method }, duration / 1000);
      callBytes.observe({ direction: "result" }, size);
    },
  };
}

/** The beginning of the log line that says why a server does not run. */
export const SERVER_FAILED = "server failed";

/** Logs a server's driver or its failure: once per start, without its own output. */
export function logStarts(server: Pick<Server, "onStatus">, user: string | undefined, log: Log): void {
  let logged: string | undefined;
  server.onStatus(({ name, state, driver, starts, problem }) => {
    // During a restart, the problem is still the previous one.
    if (state === "starting") return;
    const news = JSON.stringify([starts, state === "ready", problem?.code]);
    if (news === logged || (state !== "ready" && !problem)) return;
    logged = news;
    if (state === "ready") log.info({ server: name, user, driver }, "server started");
    else log.warn({ server: name, user, code: problem?.code }, `${SERVER_FAILED}: ${problem?.message}`);
  });
}

/**
 * Counts each fault once per start, and logs a server that prints garbage. Other faults are logged with the
 * failure.
 */
export function noteFaults(
  server: Pick<Server, "onStatus">,
  user: string | undefined,
  { log, serverFaults }: { log: Log; serverFaults: GatewayMetrics["serverFaults"] },
): void {
  const counted = new Map<ServerFault, number>();
  server.onStatus(({ name, state, starts, problem, garbage }) => {
    const count = (fault: ServerFault): boolean => {
      if (counted.get(fault) === starts) return false;
      counted.set(fault, starts);
      serverFaults.add({ server: name, fault });
      return true;
    };
    // During a restart, the problem is still the previous one.
    if (problem?.fault && state !== "starting" && state !== "ready") count(problem.fault);
    if (!garbage || garbage.count === 0 || !count("garbage")) return;
    log.warn(
      { server: name, user },
      "the server prints lines to stdout that are not messages: make it write them to stderr",
    );
  });
}

/** Logs and records that a server changed a tool or a UI. */
export function recordChange(
  { user, server, identity, method, target, reason, params }: AuditEntry,
  log: Log,
  audit: AuditLog,
): Promise<number> {
  const hashes: unknown = JSON.parse(params ?? "{}");
  log.warn({ server, ...(user && { user }), change: reason, ...Object(hashes) }, `changed: ${target}`);
  return audit.mark({ user: user || undefined, server, identity, method, target, reason, params });
}

/** Logs and records the policy of every opened view. */
export async function recordPolicy(
  { user, identity }: Pick<AuditEntry, "user" | "identity">,
  { server, uri, place }: OpenedView,
  log: Log,
  audit: AuditLog,
): Promise<void> {
  if (!place) return;
  const { policy } = place;
  log.info({ server, user, uri, policy }, "view policy");
  const params = JSON.stringify({ policy });
  await audit.mark({
    user,
    server,
    identity,
    method: "gateway/policy",
    target: uri,
    reason: "opened",
    params,
  });
}

/** A catalogue change as an audit entry. */
export const changeOf = (
  { name: server, identity }: ServerKey,
  user: string,
  { kind, name, before, after }: CatalogueChange,
): AuditEntry => ({
  user,
  actor: "operator",
  server,
  identity,
  method: "catalogue/changed",
  target: name.slice(0, 500),
  decision: "allowed",
  params: JSON.stringify({ kind, before, after }),
  reason: before === undefined ? "added" : after === undefined ? "removed" : "changed",
});
