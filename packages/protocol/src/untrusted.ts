/**
 * Reads unchecked values without ever throwing: getters may throw, proxies may be revoked, prototypes may be
 * polluted.
 *
 * @module
 */
import { isObject } from "./schema.js";

/** Marks a value that threw when it was read: it exists, but is unusable. */
const UNREADABLE = Symbol();

/**
 * The value at a path of own properties, so that a polluted Object.prototype cannot declare anything. Never
 * throws.
 */
export function at(value: unknown, ...path: string[]): unknown {
  try {
    let here = value;
    for (const key of path) {
      if (!isObject(here) || !Object.hasOwn(here, key)) return undefined;
      here = here[key];
    }
    return here;
  } catch {
    return UNREADABLE;
  }
}

/** Same as `isObject`, but returns false for a revoked proxy instead of throwing. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  try {
    return isObject(value);
  } catch {
    return false;
  }
}

/** Maximum length of a list, far more than any real one has. */
const MAX_ITEMS = 1000;

/** The items of an array, or `undefined` if the value is not an array or cannot be read. */
export function items(value: unknown): unknown[] | undefined {
  try {
    return Array.isArray(value) ? value.slice(0, MAX_ITEMS) : undefined;
  } catch {
    return undefined;
  }
}
