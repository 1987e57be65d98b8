/**
 * Short names for texts.
 *
 * @module
 */

/** Loaded with the first text, when the SDK is there: what is loaded beside it makes V8 collect sooner and more often. */
let zlib: typeof import("node:zlib") | undefined;

/**
 * Twelve hexadecimal digits: another text has others, but for a chance of one in 2³². Not against whoever wants two texts to have
 * the same. `more` is what follows: a document is not copied for it. Without `node:crypto`: to load that takes a server five times
 * as long as to load `node:zlib`.
 */
export function fingerprintOf(text: string, more = ""): string {
  zlib ??= process.getBuiltinModule("node:zlib");
  const length = text.length + more.length;
  return hex(zlib.crc32(more, zlib.crc32(text))) + hex(length).slice(4);
}

const hex = (number: number): string => number.toString(16).padStart(8, "0");
