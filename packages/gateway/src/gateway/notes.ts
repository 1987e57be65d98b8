/**
 * What a gateway counts, logs and records of itself.
 *
 * @module
 */

import type { CatalogueChange, Server, ServerFault } from "@vitrine/servers";
import type { OpenedView } from "@vitrine/wire";
import type { GuardMetrics } from "../guard/guard-options.js";
import type { Log } from "../http/logging.js";
import type { GatewayMetrics } from "../http/metrics-gateway.js";
import type { AuditEntry, AuditLog, ServerKey } from "../store/store.js";

/** Counts what guards decide, and how it ends. */
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

/** How the line begins that says why a server does not run. */
export const SERVER_FAILED = "server failed";

/** Says what a server runs in, and why it does not: once for each start, and never what it wrote itself. */
export function logStarts(server: Pick<Server, "onStatus">, user: string | undefined, log: Log): void {
  let told: string | undefined;
  server.onStatus(({ name, state, driver, starts, problem }) => {
    // While it starts anew, the problem is still that of the last time.
    if (state === "starting") return;
    const news = JSON.stringify([starts, state === "ready", problem?.code]);
    if (news === told || (state !== "ready" && !problem)) return;
    told = news;
    if (state === "ready") log.info({ server: name, user, driver }, "server started");
    else log.warn({ server: name, user, code: problem?.code }, `${SERVER_FAILED}: ${problem?.message}`);
  });
}

/** Counts each fault once for each start, and logs a server that prints garbage: all others say so as they fail. */
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
    // While it starts anew, the problem is still that of the last time.
    if (problem?.fault && state !== "starting" && state !== "ready") count(problem.fault);
    if (!garbage || garbage.count === 0 || !count("garbage")) return;
    log.warn(
      { server: name, user },
      "the server prints lines to stdout that are no messages: let it write them to stderr",
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

/** S12: the policy in force of every view that is opened is in the log and on record. */
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

/** A change of a catalogue in the words of the audit log. */
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
