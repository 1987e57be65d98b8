/**
 * What it means for a call that its server ended, or the connection to it.
 *
 * @module
 */
import type { Tool } from "@vitrine/protocol";
import type { ServerSettings } from "../config/config.js";
import { GatewayError } from "../errors.js";
import { isRecord } from "./record.js";

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

/** The error for the caller: of a call that was cut off it says whether nobody knows if it ran. */
export function explainCutOff(
  error: unknown,
  call: { method: string; params: unknown },
  settings: ServerSettings,
  tools: readonly Tool[],
): unknown {
  if (!isCutOff(error)) return error;
  const indeterminate = !isUnsent(error) && !isSafe(call.method, call.params, settings, tools);
  return new GatewayError("server-exited", error.message, {
    cause: error,
    data: { ...error.data, indeterminate },
  });
}
