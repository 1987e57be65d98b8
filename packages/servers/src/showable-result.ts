/**
 * Tool results, as pages and conversations store them.
 *
 * @module
 */
import { sizeOf } from "@vitrine/guard";
import { type CallToolResult, JsonText } from "@vitrine/protocol";

/** Maximum length of a result in characters. */
const MAX_RESULT = 64_000_000;

/** Replaces a result that cannot be stored or shown. The call itself has run, so this is not an error. */
const UNSHOWABLE: CallToolResult = {
  content: [
    {
      type: "text",
      text: "The call ran. Its result is too large, nested too deep, or not valid JSON, and cannot be shown.",
    },
  ],
};

/** The result of a call that ran. A result that is nested too deeply could not be serialized again. */
export function showableResult(answer: unknown): CallToolResult {
  try {
    const result = (answer instanceof JsonText ? answer.parse() : answer) as CallToolResult;
    return sizeOf(result, MAX_RESULT) > MAX_RESULT ? UNSHOWABLE : result;
  } catch {
    // The gateway passes large lines of a stdio server on without parsing them.
    return UNSHOWABLE;
  }
}
