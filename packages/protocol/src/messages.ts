/**
 * Encodes and decodes messages. These are pure functions for code that transports messages itself: an HTTP
 * endpoint, a proxy, a test, a recorder.
 *
 * @module
 */
import { INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND } from "./errors.js";
import type { RequestId } from "./mcp.js";
import {
  NOTIFICATIONS,
  type NotificationMethod,
  type Params,
  REQUESTS,
  type RequestMethod,
  type Result,
} from "./methods.js";
import { isRequestId } from "./request-id.js";
import { type Decoded, decode, isObject, type Shape } from "./schema.js";
import { decodeAsMeant } from "./tolerance.js";

/** A JSON-RPC request. */
export interface RequestMessage<M extends RequestMethod = RequestMethod> {
  jsonrpc: "2.0";
  id: RequestId;
  method: M;
  params: Params<M>;
}

/** A JSON-RPC notification. */
export interface NotificationMessage<M extends NotificationMethod = NotificationMethod> {
  jsonrpc: "2.0";
  method: M;
  params: Params<M>;
}

/** A JSON-RPC result. */
export interface ResultMessage<M extends RequestMethod = RequestMethod> {
  jsonrpc: "2.0";
  id: RequestId;
  result: Result<M>;
}

/** A JSON-RPC error. */
export interface ErrorMessage {
  jsonrpc: "2.0";
  id: RequestId | null;
  error: { code: number; message: string; data?: unknown };
}

/** How {@link decodeParams} and {@link decodeMessage} treat common deviations from the specification. */
export interface DecodeOptions {
  /**
   * Refuse known deviations instead of accepting them: other names in `ui/initialize`, a single content
   * block, long names of display modes.
   */
  strict?: boolean;
}

/** Why {@link decodeMessage} refused a message, and how to answer it. */
export interface RefusedMessage {
  ok: false;
  code: "invalid";
  /** Path of the wrong field, such as `params.url`. */
  field: string;
  message: string;
  /** The JSON-RPC error code for the answer. */
  rpcCode: number;
  /** The id for the answer; null if the request's id could not be read. */
  id: RequestId | null;
  /** Whether to answer at all: notifications, results and errors get no answer. */
  answer: boolean;
}

/** A decoded message, or the reason why it was refused. */
export type DecodedMessage =
  | { ok: true; kind: "request"; message: RequestMessage }
  | { ok: true; kind: "notification"; message: NotificationMessage }
  | { ok: true; kind: "result"; message: { jsonrpc: "2.0"; id: RequestId; result: unknown } }
  | { ok: true; kind: "error"; message: ErrorMessage }
  | RefusedMessage;

/**
 * Creates a request message.
 *
 * @example
 * ```ts source="./protocol.examples.ts#encodeRequest"
 * const message = encodeRequest(1, "ui/open-link", { url: "https://example.com" });
 * // { jsonrpc: "2.0", id: 1, method: "ui/open-link", params: { url: "https://example.com" } }
 * ```
 */
export function encodeRequest<M extends RequestMethod>(
  id: RequestId,
  method: M,
  params: Params<M>,
): RequestMessage<M> {
  return { jsonrpc: "2.0", id, method, params };
}

/**
 * Creates a notification message.
 *
 * @example
 * ```ts source="./protocol.examples.ts#encodeNotification"
 * const message = encodeNotification("ui/notifications/size-changed", { height: 320 });
 * // { jsonrpc: "2.0", method: "ui/notifications/size-changed", params: { height: 320 } }
 * ```
 */
export function encodeNotification<M extends NotificationMethod>(
  method: M,
  params: Params<M>,
): NotificationMessage<M> {
  return { jsonrpc: "2.0", method, params };
}

/**
 * Creates a result message.
 *
 * @example
 * ```ts source="./protocol.examples.ts#encodeResult"
 * const message = encodeResult(1, "ui/request-display-mode", { mode: "inline" });
 * // { jsonrpc: "2.0", id: 1, result: { mode: "inline" } }
 * ```
 */
export function encodeResult<M extends RequestMethod>(
  id: RequestId,
  _method: M,
  result: Result<M>,
): ResultMessage<M> {
  return { jsonrpc: "2.0", id, result };
}

/**
 * Creates an error message. `id` is null if the request's id could not be read.
 *
 * @example
 * ```ts source="./protocol.examples.ts#encodeError"
 * const message = encodeError(1, INVALID_PARAMS, "params.url is missing", { field: "params.url" });
 * // { jsonrpc: "2.0", id: 1, error: { code: -32602, message: "params.url is missing", data: … } }
 * ```
 */
export function encodeError(
  id: RequestId | null,
  code: number,
  message: string,
  data?: unknown,
): ErrorMessage {
  return { jsonrpc: "2.0", id, error: data === undefined ? { code, message } : { code, message, data } };
}

/**
 * Checks the params of a request or notification. Absent params count as empty.
 *
 * @example
 * ```ts source="./protocol.examples.ts#decodeParams"
 * const sent = { role: "user", content: { type: "text", text: "Hi" } };
 * const read = decodeParams("ui/message", sent); // ok: one block is read as a list of one
 * const strict = decodeParams("ui/message", sent, { strict: true });
 * // strict.message is "params.content must be an array, not object"
 * ```
 */
export function decodeParams<M extends RequestMethod | NotificationMethod>(
  method: M,
  params: unknown = {},
  options: DecodeOptions = {},
): Decoded<Params<M>> {
  const schema = shapeOf(method) as Shape<Params<M>> | undefined;
  if (!schema) return unknownMethod(method);
  return options.strict ? decode(schema, params, "params") : decodeAsMeant(method, params, schema);
}

/**
 * Checks the result of a request.
 *
 * @example
 * ```ts source="./protocol.examples.ts#decodeResult"
 * const decoded = decodeResult("tools/call", answer);
 * const text = decoded.ok
 *   ? decoded.value.content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join(" ")
 *   : `bad answer: ${decoded.message}`;
 * ```
 */
export function decodeResult<M extends RequestMethod>(method: M, result: unknown): Decoded<Result<M>> {
  return Object.hasOwn(REQUESTS, method)
    ? (decode(REQUESTS[method].result, result, "result") as Decoded<Result<M>>)
    : unknownMethod(method);
}

/**
 * Decodes any message; never throws. The value of a result is not checked, because only the sender of the
 * request knows the method: pass it to {@link decodeResult}.
 *
 * @example
 * ```ts source="./protocol.examples.ts#decodeMessage"
 * const decoded = decodeMessage(body);
 * if (!decoded.ok) {
 *   // Notifications and answers get no answer, however wrong they are.
 *   return decoded.answer ? encodeError(decoded.id, decoded.rpcCode, decoded.message) : undefined;
 * }
 * if (decoded.kind === "request") return encodeResult(decoded.message.id, "ping", {});
 * return undefined;
 * ```
 */
export function decodeMessage(data: unknown, options: DecodeOptions = {}): DecodedMessage {
  try {
    return decodeEnvelope(data, options);
  } catch {
    return refused({}, INVALID_REQUEST, "message", "the message could not be read");
  }
}

function decodeEnvelope(data: unknown, options: DecodeOptions): DecodedMessage {
  if (!isObject(data)) return refused({}, INVALID_REQUEST, "message", "the message must be an object");
  const { jsonrpc, id, method, params, result, error } = data;
  if (jsonrpc !== "2.0") return refused(data, INVALID_REQUEST, "jsonrpc", 'jsonrpc must be "2.0"');
  const hasId = id !== undefined;
  if (hasId && !isRequestId(id) && !(id === null && error)) {
    return refused(data, INVALID_REQUEST, "id", "id must be a short string or a whole number");
  }
  if (typeof method === "string") {
    const table = hasId ? REQUESTS : NOTIFICATIONS;
    if (!Object.hasOwn(table, method)) {
      return refused(data, METHOD_NOT_FOUND, "method", unknownMethod(method).message);
    }
    const decoded = decodeParams(method as RequestMethod | NotificationMethod, params, options);
    if (!decoded.ok) return refused(data, INVALID_PARAMS, decoded.field, decoded.message);
    const message = { ...data, params: decoded.value };
    return { ok: true, kind: hasId ? "request" : "notification", message } as DecodedMessage;
  }
  if (isObject(error) && typeof error.code === "number" && typeof error.message === "string") {
    return { ok: true, kind: "error", message: data as unknown as ErrorMessage };
  }
  if (hasId && Object.hasOwn(data, "result")) {
    return { ok: true, kind: "result", message: { jsonrpc, id: id as RequestId, result } };
  }
  const message = "the message must have a method, a result or an error";
  return refused(data, INVALID_REQUEST, "method", message);
}

const shapeOf = (method: string): Shape | undefined =>
  Object.hasOwn(REQUESTS, method)
    ? REQUESTS[method as RequestMethod].params
    : Object.hasOwn(NOTIFICATIONS, method)
      ? NOTIFICATIONS[method as NotificationMethod].params
      : undefined;

const unknownMethod = (method: string) =>
  ({ ok: false, code: "invalid", field: "method", message: `unknown method ${method}` }) as const;

function refused(
  data: Record<string, unknown>,
  rpcCode: number,
  field: string,
  message: string,
): RefusedMessage {
  const { id, method } = data;
  const isCall = method !== undefined;
  return {
    ok: false,
    code: "invalid",
    field,
    message,
    rpcCode,
    // Only for a call: the id of a result is one of ours, and an answer with it could settle a request of the
    // other side.
    id: isCall && isRequestId(id) ? id : null,
    answer: isCall
      ? id !== undefined || typeof method !== "string"
      : !Object.hasOwn(data, "result") && !Object.hasOwn(data, "error"),
  };
}
