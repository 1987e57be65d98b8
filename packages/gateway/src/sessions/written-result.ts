/**
 * Results of requests that a user writes.
 *
 * @module
 */
import { sizeOf } from "@vitrine/guard";
import { JsonText, recordOf } from "@vitrine/protocol";
import { GatewayError } from "@vitrine/wire";

/** Maximum characters of the result of a request that a user writes. */
const MOST_RESULT = 4_000_000;

/**
 * Reads the result of a request.
 *
 * @throws {GatewayError} `server-too-large`
 */
export function readWritten(result: unknown): Record<string, unknown> {
  const size = result instanceof JsonText ? result.text.length : sizeOf(result, MOST_RESULT);
  if (size > MOST_RESULT) {
    const most = MOST_RESULT.toLocaleString("en");
    throw new GatewayError("server-too-large", `the result has more than ${most} characters`);
  }
  return recordOf(result instanceof JsonText ? result.parse() : result);
}
