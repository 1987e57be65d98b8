/**
 * JSON inside a string, as in many tool results.
 *
 * @module
 */

/** The object or list in a JSON string. */
export function jsonIn(text: unknown): unknown {
  if (typeof text !== "string" || !/^\s*[[{]/.test(text)) return undefined;
  try {
    const inner: unknown = JSON.parse(text);
    return typeof inner === "object" && inner !== null ? inner : undefined;
  } catch {
    return undefined;
  }
}
