/**
 * Detects messages whose parsing would block the process.
 *
 * @module
 */
import { Refusal } from "@vitrine/guard";
import type { RequestId } from "@vitrine/protocol";
import { endOfString } from "@vitrine/protocol";

/** Characters below which a message is never too complex. */
const LEAST = 1_000_000;
/**
 * Maximum number of values in a message: parsing a million takes some tenths of a second. Long strings count
 * as one value.
 */
const MOST = 1_000_000;

/**
 * Whether a message has so many values that parsing it would block everybody else. Contents of strings do not
 * count.
 */
export function isTooComplex(text: string): boolean {
  if (text.length < LEAST) return false;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === 0x22) {
      at = endOfString(text, at);
      if (at < 0) return false;
    } else if ((char === 0x2c || char === 0x5b || char === 0x7b) && ++values > MOST) return true;
  }
  return false;
}

/**
 * The id and method of an unparsed message, if they are at the positions where Vitrine's pages write them.
 */
export function headOf(text: string): { id: RequestId; method: string } | undefined {
  const head = /^\{"jsonrpc":"2\.0","id":(?:"([^"\\]{1,200})"|(\d{1,15})),"method":"([^"\\]{1,200})"/.exec(
    text.slice(0, 500),
  );
  const [, name, number, method] = head ?? [];
  return method === undefined ? undefined : { id: name ?? Number(number), method };
}

/** The error for the sender. */
export const tooComplex = (): Refusal =>
  new Refusal("too-large", `a message has at most ${MOST} values: send less at a time`);
