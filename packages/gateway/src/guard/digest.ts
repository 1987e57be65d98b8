/**
 * Hashes for the record and for consent: SHA-256 in hexadecimal digits.
 *
 * @module
 */
import { hash } from "node:crypto";
import { JsonText } from "@vitrine/protocol";

/** The SHA-256 of a text, in hexadecimal digits. */
export const sha256 = (text: string): string => hash("sha256", text);

/**
 * The JSON of a value: as it came, or with its keys in order and without spaces, so that one value has one hash.
 *
 * @throws {TypeError} for what is no JSON, such as a cycle
 */
export function jsonOf(value: unknown): string {
  if (value instanceof JsonText) return value.text;
  return (
    JSON.stringify(value, (_key, part: unknown) =>
      typeof part === "object" && part !== null && !Array.isArray(part)
        ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
        : part,
    ) ?? "null"
  );
}
