/**
 * The result of a failed call: a message for the model, and a code whose meaning never changes.
 *
 * @module
 */
import { type CallToolResult, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { InputError, PROBLEMS_KEY } from "./input-error.js";

/** The key of the code in a failed result's `_meta`. Hosts that do not know it ignore it. */
export const CODE_KEY = "vitrine/code";

/** Why a call failed. */
export type FailureCode =
  /** The input schema, or the tool, rejects the input. */
  | "input-invalid"
  /** The tool's result violates its output schema. */
  | "result-invalid"
  /** The tool threw. */
  | "tool-failed";

/** A tool's result violates its output schema. */
export class ResultError extends TypeError {
  override readonly name = "ResultError";
}

/**
 * Converts an error to a result.
 *
 * @throws errors that are not failures: the SDK handles the request to open a URL first
 */
export function failedResult(error: unknown): CallToolResult {
  if (error instanceof ProtocolError && error.code === ProtocolErrorCode.UrlElicitationRequired) throw error;
  const text = error instanceof Error ? error.message : String(error);
  const problems = error instanceof InputError ? { [PROBLEMS_KEY]: error.problems } : {};
  return {
    isError: true,
    content: [{ type: "text", text }],
    _meta: { [CODE_KEY]: codeOf(error), ...problems },
  };
}

function codeOf(error: unknown): FailureCode {
  if (error instanceof InputError) return "input-invalid";
  return error instanceof ResultError ? "result-invalid" : "tool-failed";
}
