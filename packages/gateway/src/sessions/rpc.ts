/**
 * JSON-RPC as text, so that a server's JSON is not serialized again.
 *
 * @module
 */
import { isRefusal } from "@vitrine/guard";
import { encodeError, INTERNAL_ERROR, type RequestId, recordOf, VitrineError } from "@vitrine/protocol";
import { answerText, GatewayError, MAY_HAVE_RUN } from "@vitrine/wire";
import { tracedData, traceIdOf } from "../guard/trace.js";
import { MAX_MESSAGE } from "./message-size.js";

/**
 * A result. `result` is the last member, so that the page finds its text without parsing.
 *
 * @param isCall whether a tool was called: the error then says that it may have run
 * @throws {GatewayError} `server-too-large` if it cannot be serialized, or has more characters than the limit
 */
export function resultMessage(id: RequestId, result: unknown, isCall = false, limit = MAX_MESSAGE): string {
  const text = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${answerText(result)}}`;
  if (text.length <= limit) return text;
  const message = `the answer has more than ${limit} characters, the most that a page takes`;
  throw isCall
    ? new GatewayError("server-too-large", `${message}; ${MAY_HAVE_RUN}`, { data: { indeterminate: true } })
    : new GatewayError("server-too-large", message);
}

/**
 * The id of a request, if it is an idempotency key: Vitrine's pages send unique ids `<nonce>.<n>`. Other
 * pages count 1, 2, 3, and repeat these ids after a reload.
 */
export const keyOf = (id: RequestId): string | undefined =>
  typeof id === "string" && /^[\w-]+\.\d+$/.test(id) ? id : undefined;

/** Whether the gateway made an error. Servers' own errors have numbers, and reach the caller unchanged. */
const isOurs = (error: unknown): boolean =>
  error instanceof GatewayError || isRefusal(error) || !Number.isInteger(recordOf(error).code);

/** The same error for a user who sees only its message: the gateway's own errors name the trace id of the call. */
export function tracedError(error: unknown, trace: string): unknown {
  if (!(error instanceof VitrineError) || !isOurs(error)) return error;
  const { code, data, message } = error;
  const named = `${message} (trace ${traceIdOf(trace)})`;
  return new VitrineError(code, named, { cause: error, data: tracedData(data, trace) });
}

/** An error response. With the `traceparent` of its request, the data of the gateway's own errors has the trace id. */
export const errorMessage = (id: RequestId | null, error: unknown, trace?: string): string => {
  const { code, message, data: own } = presentable(error);
  const data = trace === undefined || !isOurs(error) ? own : tracedData(own, trace);
  try {
    const text = JSON.stringify(encodeError(id, code, message, data));
    if (text.length <= MAX_MESSAGE) return text;
  } catch {
    // The data of a server's error may be nested too deeply to be serialized.
  }
  const { code: word, indeterminate } = recordOf(data);
  const kept =
    typeof word === "string"
      ? { code: word.slice(0, 100), indeterminate: indeterminate === true }
      : undefined;
  return JSON.stringify(encodeError(id, code, message.slice(0, 10_000), kept));
};

/** A notification. */
export const notificationMessage = (method: string, params: object): string =>
  JSON.stringify({ jsonrpc: "2.0", method, params });

/** A request of the gateway. */
export const requestMessage = (id: RequestId, method: string, params: object): string =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params });

/**
 * The part of an error that may be shown. An error with a number comes from the server, the guard or the
 * gateway; a string code becomes `data.code`. Any other error may contain confidential text.
 */
export function presentable(error: unknown): { code: number; message: string; data?: unknown } {
  const { code, message, data } = recordOf(error);
  if (Number.isInteger(code)) return { code: Number(code), message: `${message}`, data };
  if (error instanceof VitrineError)
    return { code: INTERNAL_ERROR, message: error.message, data: { ...Object(data), code } };
  return { code: INTERNAL_ERROR, message: "internal error; see the gateway's log" };
}

/** Whether an error cannot be understood without the log. */
export const isUnexpected = (error: unknown): boolean =>
  !(error instanceof VitrineError) && !Number.isInteger(recordOf(error).code);

/** Whether a value can be the id of a request. */
export const isId = (id: unknown): id is RequestId => typeof id === "string" || typeof id === "number";

/** The members of a message; none if it is not a JSON object. */
export function parse(text: string): Record<string, unknown> {
  try {
    return recordOf(JSON.parse(text));
  } catch {
    return {};
  }
}
