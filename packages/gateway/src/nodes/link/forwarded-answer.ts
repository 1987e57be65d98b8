/**
 * Headers of forwarded requests, and the answers to them.
 *
 * @module
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { OPERATION_HEADER } from "./operation.js";
import { REFUSED_HEADER } from "./refusal.js";

/** Headers of one connection. They say nothing about the request or answer. */
const OF_CONNECTION = [
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];
/** The credentials stay at the node that checked them: the signed operation replaces them. */
const NOT_SENT = new Set([
  ...OF_CONNECTION,
  "authorization",
  "cookie",
  "content-length",
  "expect",
  OPERATION_HEADER,
]);
const NOT_ANSWERED = new Set([...OF_CONNECTION, REFUSED_HEADER]);

/** The headers of a request that the other node gets. */
export const forwardedHeaders = (headers: IncomingHttpHeaders): Record<string, string | string[]> =>
  without(headers, NOT_SENT);

function without(
  headers: IncomingHttpHeaders,
  names: ReadonlySet<string>,
): Record<string, string | string[]> {
  const { connection = "" } = headers;
  const named = connection.toLowerCase().split(/\s*,\s*/);
  const left: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !names.has(name) && !named.includes(name)) left[name] = value;
  return left;
}

/**
 * Sends the other node's answer to the caller, as it arrives. If either end breaks, so does the other: a cut
 * answer never looks complete.
 */
export function passAnswer(answer: IncomingMessage, outgoing: ServerResponse, stop: () => void): void {
  const { headers, statusCode = 502 } = answer;
  // An event stream, which ends with its connection: chunks would only add lengths to each of its events.
  if (headers["content-length"] === undefined && headers["transfer-encoding"] === undefined)
    outgoing.useChunkedEncodingByDefault = false;
  outgoing.writeHead(statusCode, without(headers, NOT_ANSWERED));
  outgoing.flushHeaders();
  outgoing.on("close", () => {
    if (!outgoing.writableFinished) stop();
  });
  answer.on("error", () => {
    // Without chunks or a length, the end of the connection would be the end of the answer.
    if (!outgoing.chunkedEncoding) outgoing.socket?.resetAndDestroy();
    outgoing.destroy();
  });
  answer.pipe(outgoing);
}
