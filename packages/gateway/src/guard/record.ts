/**
 * A call in the words of the audit log.
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

const MAX_NAME = 200;

/** The SHA-256 of a call's params, and their size in characters of JSON. */
export function hashOf({ params, paramsText }: GuardedCall): { paramsHash: string; paramsSize: number } {
  const text = paramsText ?? jsonOf(params);
  return { paramsHash: sha256(text), paramsSize: text.length };
}

/** An entry of the log, all but what it costs to make; names that come from outside are cut. */
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
    // A key in the log means that the call began: what was refused may be tried again.
    key: decision === "allowed" ? call.key : undefined,
    paramsHash: hash?.paramsHash,
    paramsSize: hash?.paramsSize,
    params: undefined,
  };
}

function target(call: GuardedCall): string | undefined {
  try {
    return targetOf(call);
  } catch {
    return undefined;
  }
}

/** Params for the record, by the operator's choice. */
export const paramsFor = (call: GuardedCall, { payloads, redact }: AuditSettings): string | undefined =>
  payloads === "arguments" || payloads === "all" ? redacted(call.params, { fields: redact }) : undefined;

/** What is recorded of a result, and of its {@link resultText}. One that is no JSON has no hash. */
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

/** One word for an error: a refusal's, the gateway's, or the number of a server's. */
export function codeOf(error: unknown): string {
  if (isRefusal(error) || error instanceof GatewayError) return error.data.code;
  const { code } = recordOf(error);
  if (code === INVALID_PARAMS) return "invalid-params";
  return (typeof code === "string" || typeof code === "number" ? `${code}` : "error").slice(0, 100);
}

/** Why a call was refused. Numbers are a server's to choose, and whatever it lists with an error has one reason. */
export function reasonOf(error: unknown): string {
  const code = codeOf(error);
  return /^-?\d+$/.test(code) ? "server-error" : code;
}

/** After these, nobody knows whether the server has done it. */
const UNKNOWN_END = /^(indeterminate|server-exited|timeout|closed)$/;

/** Whether it is known that the server never got it: one that is being stopped gets nothing any more. */
export const wasNotSent = (error: unknown): boolean =>
  isUnsent(error) || (error instanceof GatewayError && error.data.code === "stopping");

/** How a call ended that had begun. */
export function failureOf(error: unknown): Pick<AuditOutcome, "outcome" | "code"> {
  const code = codeOf(error);
  // Taken back, or its view was closed, between the record and the effect.
  if (wasNotSent(error) || (error instanceof VitrineError && /^(aborted|view-unknown)$/.test(code)))
    return { outcome: "cancelled", code };
  if (!(error instanceof VitrineError) || isRefusal(error)) return { outcome: "failed", code };
  const isUnknown = UNKNOWN_END.test(code) || Object(error.data).indeterminate === true;
  return { outcome: isUnknown ? "indeterminate" : "failed", code };
}

/** The JSON of a result; undefined if it is none. */
export function resultText(result: unknown): string | undefined {
  try {
    return jsonOf(result ?? {});
  } catch {
    return undefined;
  }
}
