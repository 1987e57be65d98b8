/**
 * Errors of the gateway itself. A refusal of the guard is a `Refusal`, and a server's own errors pass as they
 * are.
 *
 * @module
 */
import { JsonText, VitrineError } from "@vitrine/protocol";

/** JSON-RPC: one of the codes that are left to implementations. Why is in `data.code`. */
export const GATEWAY_ERROR = -32050;

/** In the message of every error whose `data.indeterminate` is true. */
export const MAY_HAVE_RUN = "the call may have run";

/** The kind of an error; the meaning of a code never changes. */
export type GatewayErrorCode =
  /** A setting is wrong; the message says which. */
  | "config-invalid"
  /** A server cannot be run as its settings want it. */
  | "isolation-unavailable"
  /** There is no server of that name. */
  | "server-unknown"
  /** Another server had this name when the call was made (attack E01). */
  | "server-replaced"
  /** It does not start, or does not speak MCP. */
  | "server-failed"
  /** It ended, or its connection did, while a call was under way. */
  | "server-exited"
  /** A person must sign in first. */
  | "server-unauthorized"
  /** It sent more than its limit. */
  | "server-too-large"
  /** Its address, or one that it redirects to, must not be reached from here. */
  | "address-forbidden"
  /** There is no such view in this session. */
  | "view-unknown"
  /** There is no such session any more. */
  | "session-unknown"
  /** The user has no such conversation. */
  | "conversation-unknown"
  /** It is more than what is kept of a conversation. */
  | "conversation-too-large"
  /** There is no such entry in the conversation. */
  | "item-unknown"
  /** There is no model that could be asked, or nobody who could agree to that. */
  | "sampling-unavailable"
  /** There is nobody who could be asked. */
  | "elicitation-unavailable"
  /** Nobody knows whether it happened: the answer was lost, and it is not done again. */
  | "indeterminate"
  /** The key was used for another call (attack C20). */
  | "conflict"
  /** It could not be recorded, so it was not done. */
  | "audit-failed"
  /** Too much is under way. */
  | "overloaded"
  /** The gateway is stopping. */
  | "stopping";

/**
 * The JSON of an answer. A result that cannot be written as JSON came from a call that ran, so the error says that.
 *
 * @throws {GatewayError} `server-too-large`
 */
export function answerText(result: unknown): string {
  if (result instanceof JsonText) return result.text;
  try {
    return JSON.stringify(result ?? {});
  } catch (cause) {
    const message = `the result is nested too deep to be sent; ${MAY_HAVE_RUN}`;
    throw new GatewayError("server-too-large", message, { cause, data: { indeterminate: true } });
  }
}

/** Data of a {@link GatewayError} for programs. It is sent as the error's `data`. */
export interface GatewayErrorData {
  readonly code: GatewayErrorCode;
  readonly [more: string]: unknown;
}

/**
 * The gateway could not do it.
 *
 * @example
 * ```ts source="./gateway-error.examples.ts#gatewayError"
 * try {
 *   await startGateway(settings);
 * } catch (error) {
 *   if (!(error instanceof GatewayError)) throw error;
 *   // error.data.code is a word that never changes its meaning, such as "config-invalid".
 *   log(`${error.data.code}: ${error.message}`);
 * }
 * ```
 */
export class GatewayError extends VitrineError {
  declare readonly data: GatewayErrorData;

  constructor(
    code: GatewayErrorCode,
    message: string,
    options: { cause?: unknown; data?: Record<string, unknown> } = {},
  ) {
    super(GATEWAY_ERROR, message, { cause: options.cause, data: { ...options.data, code } });
  }
}
