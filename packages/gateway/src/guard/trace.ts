/**
 * Trace ids: W3C `traceparent` values, from the caller to the server.
 *
 * @module
 */
import { randomBytes } from "node:crypto";
import { isRecord, recordOf } from "@vitrine/protocol";

/** A caller's value: version 00, trace id, parent id, flags. Ids of zeros mean that there is none. */
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
const TRACE_DIGITS = 32;
const SPAN_DIGITS = 16;

/** Random digits for the next ids: one request to the system for each id would cost more than the id. */
let digits = "";
let used = 0;

function take(count: number): string {
  if (used + count > digits.length) {
    digits = randomBytes(4096).toString("hex");
    used = 0;
  }
  used += count;
  return digits.slice(used - count, used);
}

/**
 * The `traceparent` of a call: in the trace of its caller, if that sent a valid one, otherwise in a new trace. The
 * parent id is the gateway's own.
 */
export function traceparentOf(sent: unknown): string {
  const isValid = typeof sent === "string" && TRACEPARENT.test(sent);
  const [trace, flags] = isValid ? [sent.slice(3, 35), sent.slice(-2)] : [take(TRACE_DIGITS), "00"];
  return `00-${trace}-${take(SPAN_DIGITS)}-${flags}`;
}

/** The `traceparent` of a request: MCP's convention is the key of this name in `_meta`. */
export const traceparentIn = (params: unknown): string =>
  traceparentOf(recordOf(recordOf(params)["_meta"])["traceparent"]);

/** The trace id of a `traceparent`: 32 hexadecimal digits. */
export const traceIdOf = (traceparent: string): string => traceparent.slice(3, 3 + TRACE_DIGITS);

/** The params for the server, with the `traceparent` in `_meta`. */
export function traced(params: Record<string, unknown>, traceparent: string): Record<string, unknown> {
  const { _meta: meta = {} } = params;
  return isRecord(meta) ? { ...params, _meta: { ...meta, traceparent } } : params;
}

/** The data of an error with the trace id of its call. Data that is no object belongs to a server, and stays as it is. */
export const tracedData = (data: unknown, traceparent: string): unknown =>
  data === undefined || isRecord(data) ? { ...data, trace: traceIdOf(traceparent) } : data;
