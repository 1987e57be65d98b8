/**
 * The gateway's own metrics, log lines and audit rows.
 *
 * @module
 */

import type { CatalogueChange, Server, ServerFault } from "@vitrine/servers";
import type { OpenedView } from "@vitrine/wire";
import type { GuardMetrics } from "../guard/guard-options.js";
import type { GuardedCall } from "../guard/guarded-call.js";
import { traceIdOf } from "../guard/trace.js";
import type { Log } from "../http/logging.js";
import type { GatewayMetrics } from "../http/metrics-gateway.js";
import type { ServerKey } from "../store/known-servers.js";
import type { AuditEntry, AuditLog } from "../store/store.js";

/** Notes a call that has ended, or was refused. */
type CallNote = (call: GuardedCall, how: Record<string, unknown>) => void;

/** Logs calls while the access log is on: those of pages share one connection, so no request shows them. */
export const callNote =
  (log: Log, isOn: () => boolean): CallNote =>
  ({ user, actor, server, method, trace }, how) => {
    if (isOn()) log.info({ user, actor, server, method, ...how, trace: trace && traceIdOf(trace) }, "call");
  };

/** Counts decisions of guards, and outcomes of calls. */
export function guardMetrics(
  { calls, callSeconds, callBytes, callWaits, denials }: GatewayMetrics,
  note?: CallNote,
): GuardMetrics {
  return {
    began: ({ server }, waited) => callWaits.observe({ server }, waited / 1000),
    decided: (call, decision, reason, paramsSize = 0) => {
      if (decision === "refused") {
        denials.add({ code: reason });
        note?.(call, { refused: reason });
      } else callBytes.observe({ direction: "params" }, paramsSize);
    },
    ended: (call, outcome, duration, size) => {
      const { server, method } = call;
      note?.(call, { outcome, ms: Math.round(duration * 10) / 10, bytes: size });
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

/** Counts starts and unexpected exits of a server. */
export function countStarts(
  server: Pick<Server, "onStatus">,
  { serverStarts, serverCrashes }: Pick<GatewayMetrics, "serverStarts" | "serverCrashes">,
): void {
  let counted = 0;
  let lastCrash: number | undefined;
  server.onStatus(({ name, starts, crash }) => {
    if (starts > counted) serverStarts.add({ server: name }, starts - counted);
    counted = starts;
    if (crash && crash.at !== lastCrash) serverCrashes.add({ server: name });
    lastCrash = crash?.at;
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
