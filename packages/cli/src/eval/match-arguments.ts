/**
 * Compares the arguments of a call with the expected ones.
 *
 * @module
 */
import { isRecord } from "@vitrine/protocol";

/** Maximum characters of a value in a sentence. */
const LONGEST = 80;

/** A value in a sentence. */
export function shortJson(value: unknown): string {
  const written = JSON.stringify(value) ?? "undefined";
  return written.length > LONGEST ? `${written.slice(0, LONGEST - 1)}…` : written;
}

/**
 * The first difference: each expected value must be there, and others may be. Lists must have the same length. Undefined if
 * there is none.
 */
export function argumentDifference(expected: unknown, actual: unknown, path = ""): string | undefined {
  if (isRecord(expected) && isRecord(actual)) {
    for (const [key, value] of Object.entries(expected)) {
      const place = path === "" ? key : `${path}.${key}`;
      const found = Object.hasOwn(actual, key)
        ? argumentDifference(value, actual[key], place)
        : `${place} is missing, not ${shortJson(value)}`;
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (Array.isArray(expected) && Array.isArray(actual) && expected.length === actual.length) {
    for (const [at, value] of expected.entries()) {
      const found = argumentDifference(value, actual[at], `${path}[${at}]`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  return Object.is(expected, actual)
    ? undefined
    : `${path} is ${shortJson(actual)}, not ${shortJson(expected)}`;
}
