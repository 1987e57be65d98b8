/**
 * What it means for a call that its answer was lost, late or unusable.
 *
 * @module
 */
import { INTERNAL_ERROR, isRecord, recordOf, type Tool, VitrineError } from "@vitrine/protocol";
import { GatewayError, MAY_HAVE_RUN } from "@vitrine/wire";
import type { ServerSettings } from "./settings.js";

/**
 * A call that takes several rounds ended without the server's last word, although the server answered an earlier round: that
 * round may have had an effect. `cause` says what ended the call.
 */
export class UnfinishedCall extends Error {
  constructor(cause: unknown) {
    super("the call ended before the server's last answer", { cause });
  }
}

/** What ended a call. */
export const endOf = (error: unknown): unknown => (error instanceof UnfinishedCall ? error.cause : error);

/** Whether it is known that the server never got it. A server's own errors have numbers, and cannot say so. */
export const isUnsent = (error: unknown): boolean =>
  (error instanceof GatewayError || (error instanceof VitrineError && error.code === "aborted")) &&
  recordOf(error.data)["unsent"] === true;

const isCutOff = (error: unknown): error is GatewayError =>
  error instanceof GatewayError && error.data.code === "server-exited";

/** Whether it may be sent again without asking anybody: lists and documents; and what the server never got. */
export const mayRepeat = (error: unknown, method: string): boolean =>
  isCutOff(endOf(error)) && (isUnsent(error) || method !== "tools/call");

/** Whether it does not matter if it runs twice. What the server does not say counts as no. */
function isSafe(
  method: string,
  params: unknown,
  { idempotent }: ServerSettings,
  tools: readonly Tool[],
): boolean {
  if (method !== "tools/call") return true;
  const name = isRecord(params) ? params["name"] : undefined;
  if (typeof name === "string" && idempotent.includes(name)) return true;
  const hints = tools.find((tool) => tool.name === name)?.annotations;
  return hints?.readOnlyHint === true || hints?.idempotentHint === true;
}

/** Whether the answer is missing although the server may have got the request and acted on it. */
function hasLostAnswer(error: VitrineError): boolean {
  if (!(error instanceof GatewayError)) return /^(timeout|closed|invalid|unsupported)$/.test(`${error.code}`);
  const { code, status } = error.data;
  // A status below 500 refuses the request.
  if (code === "server-failed") return !isUnsent(error) && !(typeof status === "number" && status < 500);
  return code === "server-exited" || code === "server-too-large";
}

/**
 * The error for the caller of a request that was sent. If the answer is missing, `data.indeterminate` says whether the
 * call may have run: then the message says so, too. It is false for what the server never got, and for what may safely be
 * sent again.
 */
export function explainFailure(
  thrown: unknown,
  call: { method: string; params: unknown },
  settings: ServerSettings,
  tools: readonly Tool[],
): unknown {
  const isUnfinished = thrown instanceof UnfinishedCall;
  const error = isUnfinished ? asVitrineError(thrown.cause) : thrown;
  if (!(error instanceof VitrineError) || !(isUnfinished || hasLostAnswer(error))) return error;
  const isNew = isUnsent(error) && !isUnfinished;
  const indeterminate = !isNew && !isSafe(call.method, call.params, settings, tools);
  const message = indeterminate ? `${error.message}; ${MAY_HAVE_RUN}` : error.message;
  const { unsent, ...data } = isRecord(error.data) ? error.data : {};
  const options = { cause: error, data: { ...data, ...(isNew && { unsent }), indeterminate } };
  return error instanceof GatewayError
    ? new GatewayError(error.data.code, message, options)
    : new VitrineError(error.code, message, options);
}

const asVitrineError = (error: unknown): VitrineError =>
  error instanceof VitrineError
    ? error
    : new VitrineError(INTERNAL_ERROR, error instanceof Error ? error.message : "the call failed", {
        cause: error,
      });
