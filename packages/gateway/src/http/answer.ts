/**
 * HTTP answers, and how they are sent. Web `Response` objects would take longer than the rest of a request.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { answerText } from "@vitrine/wire";
import { HTML_HEADERS, JSON_HEADERS } from "./headers.js";
import type { HttpErrorBody } from "./http-error.js";

/** An answer to a request. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Parts are sent as they arrive, with backpressure. */
  readonly body?: string | Uint8Array | AsyncIterable<string> | undefined;
}

/** The result of a handler: an answer, or `written` if it wrote to the connection itself. */
export type Answered = HttpAnswer | "written";

/** A JSON answer. Values that are JSON text already are not serialized again. */
export const json = (value: object, status = 200, headers = JSON_HEADERS): HttpAnswer => ({
  status,
  headers,
  body: answerText(value),
});

/** A page with a sentence for a user. */
export const page = (sentence: string, headers: Record<string, string> = {}): HttpAnswer => ({
  status: 200,
  headers: { ...HTML_HEADERS, ...headers },
  body: `<!doctype html><meta charset="utf-8"><title>Vitrine</title><p>${escapeHtml(sentence)}</p>\n`,
});

/**
 * An error page for a user whose browser opened a forbidden or expired address, with the solution and the
 * error code.
 */
export function failurePage({ status, code, message, headers }: HttpErrorBody): HttpAnswer {
  const help =
    code === "unauthenticated"
      ? `<p>Vitrine prints a new link in its terminal when it is started: open that one. It works once. If this browser is signed in already, <a href="/">go to Vitrine</a>.</p>`
      : "";
  return {
    status,
    headers: { ...headers, ...HTML_HEADERS },
    body: `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>Vitrine</title><h1>This page cannot be opened</h1><p>${escapeHtml(sentence(message))}</p>${help}<p><small>${escapeHtml(code)}</small></p></html>\n`,
  };
}

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

/** Converts a web `Response`. */
export async function fromWeb(response: Response): Promise<HttpAnswer> {
  const { status, headers, body } = response;
  return {
    status,
    headers: Object.fromEntries(headers),
    body: body ? new Uint8Array(await response.arrayBuffer()) : undefined,
  };
}

/** Sends an answer. Rejects if it cannot be sent, or if its parts fail. */
export async function write({ status, headers, body }: HttpAnswer, outgoing: ServerResponse): Promise<void> {
  letGo(outgoing.req);
  if (body === undefined) {
    const length = status === 204 || status === 304 ? {} : { "content-length": 0 };
    outgoing.writeHead(status, { ...headers, ...length }).end();
  } else if (typeof body === "string" || body instanceof Uint8Array) {
    outgoing.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) }).end(body);
  } else {
    outgoing.writeHead(status, headers);
    await pipeline(Readable.from(wholly(body, outgoing)), outgoing);
  }
}

/**
 * The parts of an answer. For HTTP/1.0, the end of the connection is the end of the answer, so a failed one
 * is reset.
 */
async function* wholly(parts: AsyncIterable<string>, outgoing: ServerResponse): AsyncGenerator<string> {
  try {
    yield* parts;
  } catch (error) {
    if (!outgoing.chunkedEncoding) outgoing.socket?.resetAndDestroy();
    throw error;
  }
}

/** Limits in bytes and milliseconds. */
const LET_GO = { bytes: 16_777_216, time: 500 };

/**
 * Discards the rest of an unread body: a sender that is still sending would not see the answer. Beyond the
 * limit, the connection is closed.
 */
function letGo(incoming: IncomingMessage): void {
  if (incoming.complete) return;
  let bytes = 0;
  const end = (): void => void incoming.socket.destroy();
  const timer = setTimeout(end, LET_GO.time);
  incoming.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > LET_GO.bytes) end();
  });
  incoming.on("close", () => clearTimeout(timer)).resume();
}

/** Aborts when the caller disconnects before the answer is sent. */
export function signalOf(outgoing: ServerResponse): AbortSignal {
  const controller = new AbortController();
  outgoing.on("close", () => {
    if (!outgoing.writableFinished) controller.abort();
  });
  return controller.signal;
}
