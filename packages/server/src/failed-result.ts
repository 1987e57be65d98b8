/**
 * A call that failed, as its result tells it: a sentence for the model, and a word that never changes its meaning.
 *
 * @module
 */
import { type CallToolResult, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { InputError, PROBLEMS_KEY } from "./input-error.js";

/** Where a failed result has the word for it. Hosts that do not know it leave it alone. */
export const CODE_KEY = "vitrine/code";

/** Why a call failed. */
export type FailureCode =
  /** The input schema, or the tool, does not take this input. */
  | "input-invalid"
  /** The tool gave back what its output schema forbids. */
  | "result-invalid"
  /** The tool threw. */
  | "tool-failed";

/** A tool gave back what its output schema forbids. */
export class ResultError extends TypeError {
  override readonly name = "ResultError";
}

/**
 * The result for what was thrown.
 *
 * @throws what is no failure: a client that must open an address first is told so by the SDK
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
