/**
 * Errors with a stable code and a message that explains the problem.
 *
 * @module
 */

/** JSON-RPC: the text is not JSON. */
export const PARSE_ERROR = -32700;
/** JSON-RPC: the message is not a request. */
export const INVALID_REQUEST = -32600;
/** JSON-RPC: the method does not exist. */
export const METHOD_NOT_FOUND = -32601;
/** JSON-RPC: the params do not have the method's shape. */
export const INVALID_PARAMS = -32602;
/** JSON-RPC: the handler failed. */
export const INTERNAL_ERROR = -32603;

/** Codes of errors that this side raises. Their meaning never changes. */
export type ErrorCode =
  /** A request was not answered in time. */
  | "timeout"
  /** A request was aborted by its `AbortSignal`. */
  | "aborted"
  /** Either side closed the channel before the answer came. */
  | "closed"
  /** The transport could not send a message (not cloneable, not JSON). */
  | "send-failed"
  /** An external value has the wrong shape. */
  | "invalid"
  /** The method already has a handler. */
  | "duplicate-handler"
  /** The lifecycle does not allow this message now. */
  | "out-of-order"
  /** The other side lacks the capability. */
  | "unsupported"
  /** The app does not run inside a host: there is no parent window. */
  | "no-host"
  /** The UI resource cannot be shown; `data` has details. A frame that fails uses the same code. */
  | "bad-resource"
  // Problems that a channel reports and survives:
  /** A message that is not JSON-RPC. */
  | "malformed"
  /** A request with an id that is in use. Only the first request is answered. */
  | "duplicate-request"
  /** An answer to a request that is not pending. */
  | "unknown-response"
  /** Progress of a request that is not pending. */
  | "unknown-progress"
  /** A listener threw; see `cause`. */
  | "listener-failed";

/** Options of {@link VitrineError}. */
export interface VitrineErrorOptions extends ErrorOptions {
  /** Additional details from the other side. */
  data?: unknown;
}

/**
 * The error class of Vitrine. Its code is a string for errors raised here, and JSON-RPC's number if the other
 * side refused. Throw one with a number *in* a handler to refuse a request.
 *
 * @example
 * ```ts source="./protocol.examples.ts#error"
 * try {
 *   await peer.request("tools/call", { name: "search" }, { timeout: 2_000 });
 * } catch (error) {
 *   if (!(error instanceof VitrineError)) throw error;
 *   if (error.code === "timeout") show("The server is slow today.");
 *   else if (error.code === INVALID_PARAMS) show(`The host refused: ${error.message}`);
 *   else throw error;
 * }
 * ```
 */
export class VitrineError extends Error {
  override readonly name = "VitrineError";
  /** The kind of error; safe to compare. */
  declare readonly code: ErrorCode | number;
  /** Additional details from the other side. */
  declare readonly data: unknown;

  constructor(code: ErrorCode | number, message: string, options?: VitrineErrorOptions) {
    super(message, options);
    this.code = code;
    this.data = options?.data;
  }
}
