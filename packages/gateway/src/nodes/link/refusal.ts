/**
 * Refusals between nodes. A node that refuses an operation has done nothing.
 *
 * @module
 */
import { decode, literal, object, string } from "@vitrine/protocol";
import { GatewayError, type GatewayErrorCode } from "@vitrine/wire";
import type { NodeRef } from "../routing.js";

/** The header that marks a refusal by the other node itself, in contrast to an answer of its routes. */
export const REFUSED_HEADER = "vitrine-refused";

const REFUSAL = object({
  code: literal("not-owner", "clock-skew", "operation-invalid", "operation-replayed", "stopping"),
  message: string,
});

/** Reads a refusal. */
export function readRefusal(text: string): GatewayError {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  const decoded = decode(REFUSAL, value, "the refusal");
  return decoded.ok
    ? new GatewayError(decoded.value.code, decoded.value.message)
    : new GatewayError(
        "operation-invalid",
        "the other node refused the operation; it may have another version",
      );
}

/** Whether another node may have the user's state: look it up again. */
export const meansMoved = (error: GatewayError): boolean =>
  error.data.code === "not-owner" || error.data.code === "stopping";

/** The error of an operation that no node accepted. Nothing was done. */
export const unreachable = (message: string, cause?: unknown): GatewayError =>
  new GatewayError("node-unreachable", message, { cause });

/** The error of a connection to another node that could not be opened. */
export function cannotReach({ id, address }: NodeRef, cause: unknown): GatewayError {
  if (cause instanceof GatewayError && cause.data.code === "node-unreachable") return cause;
  // Only the keys of the two ends can make a handshake fail.
  const isOtherSecret = Object(cause).code === "EPROTO";
  const why = isOtherSecret ? "refuses this node: their secrets differ" : "cannot be reached: try again";
  return unreachable(`node ${id} at ${address} ${why}`, cause);
}

/** The caller's error for a refusal. The signature of an operation is not the caller's business. */
export function callersError(error: GatewayError): GatewayError {
  const code: GatewayErrorCode = error.data.code;
  if (code === "clock-skew" || code === "node-unreachable" || code === "indeterminate") return error;
  return unreachable(`the node that has your sessions refused the request: ${error.message}`, error);
}
