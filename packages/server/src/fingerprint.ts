/**
 * Short names for texts.
 *
 * @module
 */

/**
 * Twelve hexadecimal digits: another text has others, but for a chance of less than one in 2³². Not against whoever wants two texts
 * to have the same. `more` is what follows: a document is not copied for it. Without `node:crypto`: to load it and hash the documents
 * of twenty views takes four times as many instructions.
 */
export function fingerprintOf(text: string, more = ""): string {
  const size = Buffer.byteLength(text) + Buffer.byteLength(more);
  // Filled up with zeros to a whole number of pairs.
  const bytes = Buffer.alloc(Math.ceil(size / 8) * 8);
  bytes.write(more, bytes.write(text));
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  const { length } = words;
  let even = size;
  let odd = 0;
  // Two at a time: at the start of a server nothing has been made fast yet. A product says nothing of the bits above in those
  // below: these are brought there.
  for (let at = 0; at < length; at += 2) {
    even = Math.imul(even ^ (even >>> 15) ^ (words[at] as number), 0x2c1b3c6d);
    odd = Math.imul(odd ^ (odd >>> 15) ^ (words[at + 1] as number), 0x9e3779b1);
  }
  const first = spread(even + Math.imul(odd, 0x85ebca6b));
  return hex(first) + hex(spread(odd ^ first)).slice(4);
}

/** Every bit changes half of the others, and no two numbers become one. */
function spread(number: number): number {
  const half = Math.imul(number ^ (number >>> 16), 0x85ebca6b);
  const whole = Math.imul(half ^ (half >>> 13), 0xc2b2ae35);
  return whole ^ (whole >>> 16);
}

const hex = (number: number): string => (number >>> 0).toString(16).padStart(8, "0");
