/**
 * Looks into values that nobody has checked yet, and never throws: getters may throw, proxies may be revoked,
 * prototypes may be polluted.
 *
 * @module
 */
import { isObject } from "./schema.js";

/** Stands for a value that threw when it was read: it is there, and it is of no use. */
const UNREADABLE = Symbol();

/** The value at a path of own properties, so that a polluted Object.prototype declares nothing. Never throws. */
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

/** As `isObject`; a revoked proxy, on which that throws, is none. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  try {
    return isObject(value);
  } catch {
    return false;
  }
}

/** Longest list that is looked at; no real one comes near. */
const MAX_ITEMS = 1000;

/** The items of an array, or `undefined` for what is none or cannot be read. */
export function items(value: unknown): unknown[] | undefined {
  try {
    return Array.isArray(value) ? value.slice(0, MAX_ITEMS) : undefined;
  } catch {
    return undefined;
  }
}
