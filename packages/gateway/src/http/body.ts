/**
 * Reads the body of a request, up to the limit of its route.
 *
 * @module
 */
import { isUtf8 } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import { HttpError } from "./http-error.js";

/** Reads a body, and counts its bytes regardless of the headers. */
export function readBody(
  incoming: IncomingMessage,
  limit: number,
  outgoing: ServerResponse,
): Promise<Buffer> {
  if (Number(incoming.headers["content-length"]) > limit) return Promise.reject(tooLarge(limit));
  if (incoming.headers.expect !== undefined) outgoing.writeContinue();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (): void => {
      incoming.off("data", take).off("end", end).off("error", fail).off("close", fail);
    };
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      if (size <= limit) return void chunks.push(chunk);
      settle();
      // The rest is discarded after the answer.
      incoming.pause();
      reject(tooLarge(limit));
    };
    const end = (): void => {
      settle();
      const [first] = chunks;
      resolve(chunks.length === 1 && first ? first : Buffer.concat(chunks, size));
    };
    const fail = (): void => {
      settle();
      reject(new HttpError("bad-request", "the body ended before it was complete"));
    };
    incoming.on("data", take).on("end", end).on("error", fail).on("close", fail);
  });
}

const tooLarge = (limit: number): HttpError =>
  new HttpError("body-too-large", `the body is larger than ${limit} bytes`);

/** Parses a body. An empty body is an empty object. */
export function parseBody(body: Buffer): unknown {
  if (body.length === 0) return {};
  // Each reader would interpret invalid UTF-8 differently.
  if (!isUtf8(body)) throw new HttpError("bad-request", "the body is not UTF-8");
  try {
    return JSON.parse(body.toString());
  } catch (cause) {
    throw new HttpError("bad-request", "the body is not JSON", { cause });
  }
}
