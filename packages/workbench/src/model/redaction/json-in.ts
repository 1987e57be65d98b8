/**
 * JSON in a text, as tools' results often are.
 *
 * @module
 */

/** The object or list that a text is as JSON. */
export function jsonIn(text: unknown): unknown {
  if (typeof text !== "string" || !/^\s*[[{]/.test(text)) return undefined;
  try {
    const inner: unknown = JSON.parse(text);
    return typeof inner === "object" && inner !== null ? inner : undefined;
  } catch {
    return undefined;
  }
}
