/**
 * Sends the trace of a request also as an HTTP header, for proxies and frameworks that do not read `_meta`.
 *
 * @module
 */
import { recordOf } from "@vitrine/protocol";
import { membersOf } from "./answer-text.js";

/** The request with the header `traceparent`, if its message has one in `_meta`. */
export function withTraceHeader(init: RequestInit | undefined): RequestInit | undefined {
  const value = typeof init?.body === "string" ? traceparentIn(init.body) : undefined;
  if (value === undefined) return init;
  const headers = new Headers(init?.headers);
  headers.set("traceparent", value);
  return { ...init, headers };
}

/** The value in the text of a message, which is not parsed as a whole: arguments may be large. */
function traceparentIn(text: string): string | undefined {
  if (!text.includes('"traceparent"')) return undefined;
  const meta = part(part(text, "params"), "_meta");
  if (meta === undefined) return undefined;
  const { traceparent } = recordOf(JSON.parse(meta));
  return typeof traceparent === "string" && /^[\da-f-]{55}$/.test(traceparent) ? traceparent : undefined;
}

function part(text: string | undefined, member: string): string | undefined {
  const at = text === undefined ? undefined : membersOf(text)?.get(member);
  return at && text?.slice(...at);
}
