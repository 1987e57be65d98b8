/**
 * Messages as JSON text and as values.
 *
 * @module
 */
import { JsonText } from "@vitrine/protocol";

/**
 * A message as JSON. Parts that are already text stay text: large results are not parsed just to be
 * serialized again.
 */
export function jsonOf(message: unknown): string {
  if (message instanceof JsonText) return message.text;
  try {
    const isPlain = Object(message) === message && !Array.isArray(message);
    if (!isPlain || !Object.values(Object(message)).some((part) => part instanceof JsonText))
      return JSON.stringify(message) ?? "";
    const parts = Object.entries(Object(message)).map(
      ([key, part]) => `${JSON.stringify(key)}:${jsonOf(part)}`,
    );
    return `{${parts.join(",")}}`;
  } catch {
    // An app may send values that JSON cannot express: a cycle, a BigInt.
    return String(message);
  }
}

const parsed = new WeakMap<JsonText, unknown>();

/** A part of a message that may be JSON text: parsed once. */
export function plainOf(part: unknown): unknown {
  if (!(part instanceof JsonText)) return part;
  if (!parsed.has(part)) parsed.set(part, part.parse());
  return parsed.get(part);
}
