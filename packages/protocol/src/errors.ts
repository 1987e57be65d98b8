/**
 * Every error has a stable code, and a sentence that says what is wrong.
 *
 * @module
 */

/** JSON-RPC: the text is not JSON. */
export const PARSE_ERROR = -32700;
/** JSON-RPC: the message is not a request. */
export const INVALID_REQUEST = -32600;
/** JSON-RPC: there is no such method here. */
export const METHOD_NOT_FOUND = -32601;
/** JSON-RPC: the params do not have the shape that the method wants. */
export const INVALID_PARAMS = -32602;
/** JSON-RPC: the handler failed. */
export const INTERNAL_ERROR = -32603;

/** Codes of errors that arise at this end of the wire. They never change their meaning. */
export type ErrorCode =
  /** A request was not answered within its time limit. */
  | "timeout"
  /** A request was aborted by its `AbortSignal`. */
  | "aborted"
  /** The channel was closed, by this end or the other, before the answer came. */
  | "closed"
  /** A message could not be handed to the transport (not cloneable, not JSON). */
  | "send-failed"
  /** A value from outside does not have the shape it must have. */
  | "invalid"
  /** A handler for this method is already there. */
  | "duplicate-handler"
  /** The lifecycle does not allow this message now. */
  | "out-of-order"
  /** The other end lacks the capability for this. */
  | "unsupported"
  /** The app is not running inside a host: there is no parent window. */
  | "no-host"
  /** The UI resource cannot be shown as it is; `data` says more. A frame gives up with the same word. */
  | "bad_resource"
  // What a channel survived and reports:
  /** Something that is no JSON-RPC message. */
  | "malformed"
  /** A request under an id that is in use; the one before it is answered. */
  | "duplicate-request"
  /** An answer to no request that waits. */
  | "unknown-response"
  /** Progress of no request that waits. */
  | "unknown-progress"
  /** A listener threw; see `cause`. */
  | "listener-failed";

/** What else an error may carry. */
export interface VitrineErrorOptions extends ErrorOptions {
  /** Whatever else the other end said about it. */
  data?: unknown;
}

/**
 * The one error of Vitrine. Its code is a word when something went wrong at this end, and JSON-RPC's number
 * when the other end refused. Throw one with a number *in* a handler to refuse a request.
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
  /** What kind of error this is; safe to compare with. */
  declare readonly code: ErrorCode | number;
  /** Whatever else the other end said about it. */
  declare readonly data: unknown;

  constructor(code: ErrorCode | number, message: string, options?: VitrineErrorOptions) {
    super(message, options);
    this.code = code;
    this.data = options?.data;
  }
}
