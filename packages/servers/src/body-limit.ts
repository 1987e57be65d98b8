/**
 * Limits the size of an HTTP body.
 *
 * @module
 */
import { type Readable, Transform } from "node:stream";
import { tooLarge } from "./too-large.js";

const BLANK_LINE = /\r\n\r\n|\n\n|\r\r/g;

/**
 * Passes a body on. Ends it with an error if it, or one event of an event stream, exceeds the limit in bytes.
 *
 * @param onchunk receives each part
 */
export function limitBody(
  body: Readable,
  limit: number,
  isStream: boolean,
  onchunk?: (chunk: Buffer) => void,
): Readable {
  let size = 0;
  // The end of the last chunk: a blank line may be split between two chunks.
  let before = "";
  const limited = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      onchunk?.(chunk);
      size += chunk.length;
      if (isStream) {
        const text = before + chunk.toString("latin1");
        const end = [...text.matchAll(BLANK_LINE)].at(-1);
        if (end) size = text.length - end.index - end[0].length;
        before = end ? text.slice(Math.max(text.length - 3, end.index + end[0].length)) : text.slice(-3);
      }
      if (size <= limit) return done(null, chunk);
      done(tooLarge(limit));
    },
  });
  body.once("error", (error) => limited.destroy(error));
  limited.once("close", () => body.destroy());
  return body.pipe(limited);
}
