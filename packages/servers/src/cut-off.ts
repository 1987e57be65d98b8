/**
 * Decides what a lost, late or unusable answer means for a call.
 *
 * @module
 */
import { INTERNAL_ERROR, isRecord, recordOf, type Tool, VitrineError } from "@vitrine/protocol";
import { GatewayError, MAY_HAVE_RUN } from "@vitrine/wire";
import type { ServerSettings } from "./settings.js";

/**
 * A call with several rounds ended without the server's final answer, although the server had answered an
 * earlier round. That round may have had an effect. `cause` is the error that ended the call.
 */
export class UnfinishedCall extends Error {
  constructor(cause: unknown) {
    super("the call ended before the server's last answer", { cause });
  }
}

/** The error that ended a call. */
export const endOf = (error: unknown): unknown => (error instanceof UnfinishedCall ? error.cause : error);

/** Whether the request certainly never reached the server. A server's own errors have numbers, and cannot claim that. */
export const isUnsent = (error: unknown): boolean =>
  (error instanceof GatewayError || (error instanceof VitrineError && error.code === "aborted")) &&
  recordOf(error.data)["unsent"] === true;

const isCutOff = (error: unknown): error is GatewayError =>
  error instanceof GatewayError && error.data.code === "server-exited";

/** Methods that only read or set a state. Nobody knows the effect of a method that is none of the protocol's. */
const HARMLESS =
  /^(ping|server\/discover|(tools|prompts|resources|resources\/templates)\/list|resources\/(read|subscribe|unsubscribe)|prompts\/get|completion\/complete|logging\/setLevel|tasks\/(list|get|result|cancel))$/;

/**
 * Whether the request may be sent again without asking the user: lists, documents, and requests that never
 * reached the server.
 */
export const mayRepeat = (error: unknown, method: string): boolean =>
  isCutOff(endOf(error)) && (isUnsent(error) || HARMLESS.test(method));

/** Whether the request may run twice without harm. Tools without hints count as unsafe. */
function isSafe(
  method: string,
  params: unknown,
  { idempotent }: ServerSettings,
  tools: readonly Tool[],
): boolean {
  if (method !== "tools/call") return HARMLESS.test(method);
  const name = isRecord(params) ? params["name"] : undefined;
  if (typeof name === "string" && idempotent.includes(name)) return true;
  const hints = tools.find((tool) => tool.name === name)?.annotations;
  return hints?.readOnlyHint === true || hints?.idempotentHint === true;
}

/** Whether the answer is missing although the server may have received the request and acted on it. */
function hasLostAnswer(error: VitrineError): boolean {
  if (!(error instanceof GatewayError)) return /^(timeout|closed|invalid|unsupported)$/.test(`${error.code}`);
  const { code, status } = error.data;
  // A status below 500 rejects the request.
  if (code === "server-failed") return !isUnsent(error) && !(typeof status === "number" && status < 500);
  return code === "server-exited" || code === "server-too-large";
}

/**
 * The error for the caller of a request that was sent. If the answer is missing, `data.indeterminate` and the
 * message say whether the call may have run. It is false for requests that never reached the server, and for
 * requests that may safely be repeated.
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
