/**
 * Answers, and how they go out. Web responses would do the same, and take longer than all the rest of a request.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { answerText } from "@vitrine/wire";
import { HTML_HEADERS, JSON_HEADERS } from "./headers.js";
import type { Failure } from "./http-error.js";

/** What is said to a request. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Parts are sent as they come, and no sooner than they are taken. */
  readonly body?: string | Uint8Array | AsyncIterable<string> | undefined;
}

/** What handlers give: an answer, or the word that they wrote to the connection themselves. */
export type Answered = Answer | "written";

/** JSON; what is JSON already is not written again. */
export const json = (value: object, status = 200, headers = JSON_HEADERS): Answer => ({
  status,
  headers,
  body: answerText(value),
});

/** A page with one sentence, for a person. */
export const page = (sentence: string, headers: Record<string, string> = {}): Answer => ({
  status: 200,
  headers: { ...HTML_HEADERS, ...headers },
  body: `<!doctype html><meta charset="utf-8"><title>Vitrine</title><p>${escapeHtml(sentence)}</p>\n`,
});

/**
 * The same for a person whose browser opened an address that it may not, or that is not good any more: with what to do, and the code for whoever is asked
 * about it.
 */
export function failurePage({ status, code, message, headers }: Failure): Answer {
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

/** What another part answered, in the web's own form. */
export async function fromWeb(response: Response): Promise<Answer> {
  const { status, headers, body } = response;
  return {
    status,
    headers: Object.fromEntries(headers),
    body: body ? new Uint8Array(await response.arrayBuffer()) : undefined,
  };
}

/** Sends an answer. Rejects when it cannot be sent, or its parts do not come to their end. */
export async function write({ status, headers, body }: Answer, outgoing: ServerResponse): Promise<void> {
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

/** Parts of an answer. To who speaks HTTP/1.0 the end of the connection is the end of the answer: one that failed is reset. */
async function* wholly(parts: AsyncIterable<string>, outgoing: ServerResponse): AsyncGenerator<string> {
  try {
    yield* parts;
  } catch (error) {
    if (!outgoing.chunkedEncoding) outgoing.socket?.resetAndDestroy();
    throw error;
  }
}

/** Bytes, and milliseconds. */
const LET_GO = { bytes: 16_777_216, time: 500 };

/**
 * The rest of a body that nobody reads: a little is thrown away, for who still sends would not see the answer, and then
 * the connection is closed.
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

/** Aborts when the caller goes away before the answer is out. */
export function signalOf(outgoing: ServerResponse): AbortSignal {
  const controller = new AbortController();
  outgoing.on("close", () => {
    if (!outgoing.writableFinished) controller.abort();
  });
  return controller.signal;
}
