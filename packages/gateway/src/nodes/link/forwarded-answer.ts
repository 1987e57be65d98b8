/**
 * Headers of forwarded requests, and the answers to them.
 *
 * @module
 */
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { Readable } from "node:stream";
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
export function forwardedHeaders(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const { connection = "" } = headers;
  const named = connection.toLowerCase().split(/\s*,\s*/);
  const left: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !NOT_SENT.has(name) && !named.includes(name)) left[name] = value;
  return left;
}

/** The headers of an answer that the caller gets. */
function answeredHeaders(raw: readonly string[]): string[] {
  const left: string[] = [];
  for (let at = 0; at < raw.length; at += 2) {
    const [name = "", value = ""] = raw.slice(at, at + 2);
    if (!NOT_ANSWERED.has(name.toLowerCase())) left.push(name, value);
  }
  return left;
}

/** The answer of another node. */
export interface NodeAnswer {
  readonly status: number;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  /** Whether the end of the connection ends it, as with an event stream: chunks would only add lengths to its events. */
  readonly isEndless: boolean;
  /** The whole body, or the parts of it as they arrive. */
  readonly body: Buffer | Readable;
}

/**
 * Sends the other node's answer to the caller, as it arrives. If the other node breaks it off, so does this one: a cut
 * answer never looks complete.
 */
export function passAnswer({ status, headers, isEndless, body }: NodeAnswer, outgoing: ServerResponse): void {
  if (isEndless) outgoing.useChunkedEncodingByDefault = false;
  outgoing.writeHead(status, answeredHeaders(headers));
  if (Buffer.isBuffer(body)) {
    outgoing.end(body);
    return;
  }
  outgoing.flushHeaders();
  body.on("error", () => {
    // Without chunks or a length, the end of the connection would be the end of the answer.
    if (!outgoing.chunkedEncoding) outgoing.socket?.resetAndDestroy();
    outgoing.destroy();
  });
  body.pipe(outgoing);
}
