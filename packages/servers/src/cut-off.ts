/**
 * What it means for a call that its answer was lost, late or unusable.
 *
 * @module
 */
import { isRecord, type Tool, VitrineError } from "@vitrine/protocol";
import { GatewayError, MAY_HAVE_RUN } from "@vitrine/wire";
import type { ServerSettings } from "./settings.js";

/** Whether it is known that the server never got it. */
export const isUnsent = (error: unknown): boolean =>
  error instanceof GatewayError && error.data["unsent"] === true;

const isCutOff = (error: unknown): error is GatewayError =>
  error instanceof GatewayError && error.data.code === "server-exited";

/** Whether it may be sent again without asking anybody: lists and documents; and what the server never got. */
export const mayRepeat = (error: unknown, method: string): boolean =>
  isCutOff(error) && (isUnsent(error) || method !== "tools/call");

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
  if (!(error instanceof GatewayError)) return /^(timeout|closed|invalid)$/.test(`${error.code}`);
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
  error: unknown,
  call: { method: string; params: unknown },
  settings: ServerSettings,
  tools: readonly Tool[],
): unknown {
  if (!(error instanceof VitrineError) || !hasLostAnswer(error)) return error;
  const indeterminate = !isUnsent(error) && !isSafe(call.method, call.params, settings, tools);
  const message = indeterminate ? `${error.message}; ${MAY_HAVE_RUN}` : error.message;
  const options = { cause: error, data: { ...Object(error.data), indeterminate } };
  return error instanceof GatewayError
    ? new GatewayError(error.data.code, message, options)
    : new VitrineError(error.code, message, options);
}
