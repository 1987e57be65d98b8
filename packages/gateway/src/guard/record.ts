/**
 * Converts calls into rows of the audit log.
 *
 * @module
 */
import { isRefusal, targetOf } from "@vitrine/guard";
import { INVALID_PARAMS, recordOf, VitrineError } from "@vitrine/protocol";
import { isUnsent } from "@vitrine/servers";
import { GatewayError } from "@vitrine/wire";
import type { AuditSettings } from "../config/config.js";
import type { AuditEntry, AuditOutcome } from "../store/store.js";
import { jsonOf, sha256 } from "./digest.js";
import type { GuardedCall } from "./guarded-call.js";
import { redacted } from "./redact.js";
import { traceIdOf } from "./trace.js";

const MAX_NAME = 200;

/** The SHA-256 of a call's params, and their size in characters of JSON. */
export function hashOf({ params, paramsText }: GuardedCall): { paramsHash: string; paramsSize: number } {
  const text = paramsText ?? jsonOf(params);
  return { paramsHash: sha256(text), paramsSize: text.length };
}

/** An entry of the log without its payload. Names from outside are truncated. */
export function entryOf(
  call: GuardedCall,
  { server, identity }: Pick<AuditEntry, "server" | "identity">,
  decision: AuditEntry["decision"],
  reason: string,
  hash: ReturnType<typeof hashOf> | undefined,
): AuditEntry {
  const { user, actor, view, method } = call;
  return {
    user,
    actor,
    view: view === "" ? undefined : view.slice(0, MAX_NAME),
    server,
    identity,
    method: method.slice(0, MAX_NAME),
    target: target(call),
    decision,
    reason,
    // A key in the log means that the call started: a refused call may be retried.
    key: decision === "allowed" ? call.key : undefined,
    paramsHash: hash?.paramsHash,
    paramsSize: hash?.paramsSize,
    params: undefined,
    trace: call.trace === undefined ? undefined : traceIdOf(call.trace),
  };
}

function target(call: GuardedCall): string | undefined {
  try {
    return targetOf(call);
  } catch {
    return undefined;
  }
}

/** The params for the record, depending on the operator's settings. */
export const paramsFor = (call: GuardedCall, { payloads, redact }: AuditSettings): string | undefined =>
  payloads === "arguments" || payloads === "all" ? redacted(call.params, { fields: redact }) : undefined;

/** The recorded part of a result and its {@link resultText}. A result that is not JSON has no hash. */
export function resultFor(
  result: unknown,
  text: string | undefined,
  { payloads, redact }: AuditSettings,
): Pick<AuditOutcome, "resultHash" | "resultSize" | "result"> {
  return {
    ...(text !== undefined && { resultHash: sha256(text), resultSize: text.length }),
    ...(payloads === "all" && { result: redacted(result, { fields: redact }) }),
  };
}

/** The code of an error: of a refusal, of the gateway, or the number of a server's error. */
export function codeOf(error: unknown): string {
  if (isRefusal(error) || error instanceof GatewayError) return error.data.code;
  const { code } = recordOf(error);
  if (code === INVALID_PARAMS) return "invalid-params";
  return (typeof code === "string" || typeof code === "number" ? `${code}` : "error").slice(0, 100);
}

/** The reason of a refusal. Servers choose their own numbers, so all of their errors have one reason. */
export function reasonOf(error: unknown): string {
  const code = codeOf(error);
  return /^-?\d+$/.test(code) ? "server-error" : code;
}

/** Errors after which it is unknown whether the server ran the call. */
const UNKNOWN_END = /^(indeterminate|server-exited|timeout|closed)$/;

/** Whether the request certainly never reached the server: a stopping server gets none. */
export const wasNotSent = (error: unknown): boolean =>
  isUnsent(error) || (error instanceof GatewayError && error.data.code === "stopping");

/** The outcome of a started call that failed. */
export function failureOf(error: unknown): Pick<AuditOutcome, "outcome" | "code"> {
  const code = codeOf(error);
  // Cancelled, or its view was closed, between the record and the effect.
  if (wasNotSent(error) || (error instanceof VitrineError && /^(aborted|view-unknown)$/.test(code)))
    return { outcome: "cancelled", code };
  if (!(error instanceof VitrineError) || isRefusal(error)) return { outcome: "failed", code };
  const isUnknown = UNKNOWN_END.test(code) || Object(error.data).indeterminate === true;
  return { outcome: isUnknown ? "indeterminate" : "failed", code };
}

/** The JSON of a result; undefined if it is not JSON. */
export function resultText(result: unknown): string | undefined {
  try {
    return jsonOf(result ?? {});
  } catch {
    return undefined;
  }
}
