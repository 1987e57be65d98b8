/**
 * Results of tools, as pages and conversations keep them.
 *
 * @module
 */
import { sizeOf } from "@vitrine/guard";
import { type CallToolResult, JsonText } from "@vitrine/protocol";

/** Characters of a result. */
const MAX_RESULT = 64_000_000;

/** In place of a result that cannot be kept or shown: the call itself has run, so this is no failure. */
const UNSHOWABLE: CallToolResult = {
  content: [
    {
      type: "text",
      text: "The call ran. Its result is too large, nested too deep, or not valid JSON, and cannot be shown.",
    },
  ],
};

/** The result of a call that ran. What is nested too deep could not be written as JSON again. */
export function showableResult(answer: unknown): CallToolResult {
  try {
    const result = (answer instanceof JsonText ? answer.parse() : answer) as CallToolResult;
    return sizeOf(result, MAX_RESULT) > MAX_RESULT ? UNSHOWABLE : result;
  } catch {
    // The gateway passes large lines of a stdio server on without parsing them.
    return UNSHOWABLE;
  }
}
