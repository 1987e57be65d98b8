/**
 * Hashes for the audit log and for approvals: SHA-256 in hexadecimal digits.
 *
 * @module
 */
import { hash } from "node:crypto";
import { JsonText } from "@vitrine/protocol";

/** The SHA-256 of a text, in hexadecimal digits. */
export const sha256 = (text: string): string => hash("sha256", text);

/**
 * The JSON of a value: its original text, or with sorted keys and without spaces, so that equal values have
 * equal hashes.
 *
 * @throws {TypeError} if the value is not JSON, such as a cycle
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
