/**
 * Errors of the gateway itself. A refusal of the guard is a `Refusal`, and a server's own errors pass as they
 * are.
 *
 * @module
 */
import { JsonText, VitrineError } from "@vitrine/protocol";

/** JSON-RPC: an implementation-defined code. The reason is in `data.code`. */
export const GATEWAY_ERROR = -32050;

/** In the message of every error whose `data.indeterminate` is true. */
export const MAY_HAVE_RUN = "the call may have run";

/** The kind of an error; the meaning of a code never changes. */
export type GatewayErrorCode =
  /** A setting is wrong; the message says which. */
  | "config-invalid"
  /** The settings file cannot be written, or there is none that may be changed. */
  | "settings-unwritable"
  /** The setting is not what the request was made for; look again. */
  | "settings-changed"
  /** Only an administrator may do this. */
  | "admin-required"
  /** There is a server with this name already. */
  | "server-exists"
  /** A server cannot be run as configured. */
  | "isolation-unavailable"
  /** There is no server with this name. */
  | "server-unknown"
  /** Another server had this name when the call was made. */
  | "server-replaced"
  /** All users share the server, and this would change it for all of them. */
  | "server-shared"
  /** The server does not declare the capability that this needs. */
  | "capability-missing"
  /** Other users' calls are running in a shared server, so it is not restarted. */
  | "server-in-use"
  /** The server does not start, or does not speak MCP. */
  | "server-failed"
  /** The server exited, or its connection closed, during a call. */
  | "server-exited"
  /** The user must sign in first. */
  | "server-unauthorized"
  /** The server exceeded its size limit. */
  | "server-too-large"
  /** Its address, or a redirect target, is not allowed. */
  | "address-forbidden"
  /** There is no such view in this session. */
  | "view-unknown"
  /** The session no longer exists. */
  | "session-unknown"
  /** The user has no such conversation. */
  | "conversation-unknown"
  /** A conversation limit was exceeded. */
  | "conversation-too-large"
  /** There is no such entry in the conversation. */
  | "item-unknown"
  /** There is no model, or no user who could approve its use. */
  | "sampling-unavailable"
  /** There is no user to ask. */
  | "elicitation-unavailable"
  /** The outcome is unknown: the answer was lost, and the call is not repeated. */
  | "indeterminate"
  /** The key was used for another call. */
  | "conflict"
  /** The audit log could not be written, so the call was not made. */
  | "audit-failed"
  /** Too many requests are running. */
  | "overloaded"
  /** The gateway is stopping. */
  | "stopping"
  /** The node that has the user's state cannot be reached. Nothing was done. */
  | "node-unreachable"
  /** This node does not have the user's state. The sender looks up the owner again. */
  | "not-owner"
  /** The clocks of two nodes differ too much. */
  | "clock-skew"
  /** A forwarded operation is not signed by a node, or was changed. */
  | "operation-invalid"
  /** A forwarded operation was received before. */
  | "operation-replayed";

/**
 * The JSON of an answer. If a result cannot be serialized, the call has still run, and the error says so.
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
 * An error of the gateway.
 *
 * @example
 * ```ts source="./gateway-error.examples.ts#gatewayError"
 * try {
 *   await startGateway(settings);
 * } catch (error) {
 *   if (!(error instanceof GatewayError)) throw error;
 *   // error.data.code has a fixed meaning, such as "config-invalid".
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
