/**
 * JSON-RPC in one HTTP exchange: reads a body with a limit, and writes the answer.
 *
 * @module
 */
import {
  encodeError,
  endOfBrackets,
  INVALID_PARAMS,
  INVALID_REQUEST,
  isRecord,
  JsonText,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  type RequestId,
} from "@vitrine/protocol";

/** A failure as HTTP status and JSON-RPC error. */
export interface HttpFailure {
  status: number;
  code: number;
  message: string;
  data?: unknown;
  headers?: Record<string, string>;
}

/** The parsed body, or why it cannot be read. */
export type ReadBody = { ok: true; value: unknown } | { ok: false; failure: HttpFailure };

const JSON_TYPE = /^application\/json\s*(;|$)/i;

/** Reads the JSON of a POST, up to the limit, whatever the headers say. */
export async function readJson(request: Request, limit: number): Promise<ReadBody> {
  if (request.method !== "POST") {
    return bad(405, INVALID_REQUEST, "only POST is served here", { allow: "POST" });
  }
  // A page of any other site can send other types without a preflight, with the user's cookies.
  if (!JSON_TYPE.test(request.headers.get("content-type") ?? "")) {
    return bad(415, INVALID_REQUEST, "the content-type must be application/json");
  }
  const tooLarge = bad(413, INVALID_REQUEST, `the body is larger than ${limit} bytes`);
  if (Number(request.headers.get("content-length")) > limit) return tooLarge;
  const text = await readText(request, limit).catch(() => undefined);
  if (text === undefined) return bad(400, PARSE_ERROR, "the body could not be read as UTF-8 text");
  if (text === TOO_LARGE) return tooLarge;
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return bad(400, PARSE_ERROR, "the body is not JSON");
  }
}

const TOO_LARGE = Symbol("too large");

async function readText(request: Request, limit: number): Promise<string | typeof TOO_LARGE> {
  const reader = request.body?.getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  for (let size = 0; reader; ) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > limit) {
      // Not awaited: an endless sender would delay the answer.
      reader.cancel().catch(() => {});
      return TOO_LARGE;
    }
    text += decoder.decode(value, { stream: true });
  }
  return text + decoder.decode();
}

const bad = (
  status: number,
  code: number,
  message: string,
  headers?: Record<string, string>,
): ReadBody & { ok: false } => ({
  ok: false,
  failure: headers ? { status, code, message, headers } : { status, code, message },
});

const HEADERS = { "cache-control": "no-cache", "x-content-type-options": "nosniff" };
const JSON_HEADERS = { ...HEADERS, "content-type": "application/json; charset=utf-8" };

/** The HTTP status for a JSON-RPC error code. */
export const statusOf = (code: number): number =>
  code === METHOD_NOT_FOUND
    ? 404
    : code === PARSE_ERROR || code === INVALID_REQUEST || code === INVALID_PARAMS
      ? 400
      : 500;

/** The answer to a notification. */
export const accepted = (): Response => new Response(null, { status: 202, headers: HEADERS });

/**
 * The answer to a request. `result` comes last, so that {@link resultText} finds it without parsing; JSON
 * text is not serialized again.
 */
export function answerResult(id: RequestId, result: unknown): Response {
  const text = result instanceof JsonText ? result.text : (JSON.stringify(result) ?? "{}");
  return new Response(`${resultPrefix(id)}${text}}`, { status: 200, headers: JSON_HEADERS });
}

/** The error answer to a request. `data.message` contains the reason, beside other data. */
export function answerError(id: RequestId | null, failure: HttpFailure): Response {
  const { status, code, message, data, headers } = failure;
  const more = data === undefined || isRecord(data) ? { message, ...data } : data;
  let text: string;
  try {
    text = JSON.stringify(encodeError(id, code, message, more));
  } catch {
    text = JSON.stringify(encodeError(id, code, message, { message }));
  }
  return new Response(text, { status, headers: { ...JSON_HEADERS, ...headers } });
}

const resultPrefix = (id: RequestId): string => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;

/**
 * The text of the result in an answer of {@link answerResult}'s form; undefined for any other form. It checks
 * that the result is one object up to the end, so that nothing in it can pass for a part of the message; the
 * JSON inside is checked by the parser.
 */
export function resultText(answer: string, id: RequestId): string | undefined {
  const prefix = resultPrefix(id);
  const end = answer.length - 1;
  return answer.startsWith(`${prefix}{`) &&
    answer.endsWith("}}") &&
    endOfBrackets(answer, prefix.length) === end
    ? answer.slice(prefix.length, end)
    : undefined;
}
