/**
 * Serializes messages without blocking the page for a large one.
 *
 * @module
 */
import { JsonText, recordOf } from "@vitrine/protocol";

/** Values in a message that is serialized at once: a few milliseconds of work. */
const SMALL = 5000;
/** Characters that cost as much as a value. */
const PER_VALUE = 200;
/** Maximum values that are cloned rather than serialized, and their cost in text: cloning is synchronous. */
const FEW = 500;
const PER_FEW = 40_000;
/** Characters of text in one part: as much work as that many values. */
export const PART = SMALL * PER_VALUE;

/**
 * Converts a message for sending: JSON or, if it is large, its parts, each created quickly; JSON text is not
 * serialized again. Much text in few values stays an object, because cloning it is faster than serializing.
 */
export function encode(message: unknown): string | object | Iterable<string> {
  const { result, params, ...rest } = recordOf(message);
  const raw = result instanceof JsonText ? result : params instanceof JsonText ? params : undefined;
  if (raw)
    return `${JSON.stringify(rest).slice(0, -1)},"${raw === result ? "result" : "params"}":${raw.text}}`;
  if (weigh(message, SMALL) > 0) return JSON.stringify(message);
  return weigh(message, FEW, PER_FEW) > 0 ? Object(message) : write(message);
}

/** Splits a text into parts. */
export function* cut(text: string): Generator<string> {
  for (let at = 0, end: number; at < text.length; at = end) {
    end = at + PART;
    // Keeps surrogate pairs together.
    if ((text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end--;
    yield text.slice(at, end);
  }
}

/**
 * Maximum depth, more than any honest message has; deeper values are left to `JSON.stringify`, which has its
 * own limit.
 */
const DEEP = 200;

/** The remaining allowance after a value: at most 0 if it is larger. */
function weigh(value: unknown, allowance: number, perValue = PER_VALUE, depth = 0): number {
  if (typeof value === "string") return allowance - 1 - value.length / perValue;
  let left = allowance - 1;
  if (typeof value === "object" && value !== null && depth < DEEP) {
    // Not `for in`, which collects all keys of an array first.
    for (const item of Array.isArray(value) ? value : Object.values(value)) {
      left = weigh(item, left, perValue, depth + 1);
      if (left <= 0) break;
    }
  }
  return left;
}

/** The parts of a value's JSON, each created quickly. */
function* write(value: unknown): Generator<string> {
  if (typeof value === "string" && value.length > PART) {
    yield '"';
    for (const part of cut(value)) yield JSON.stringify(part).slice(1, -1);
    yield '"';
  } else if (weigh(value, SMALL) > 0) {
    yield JSON.stringify(value) ?? "null";
  } else if (Array.isArray(value)) {
    yield "[";
    yield* writeItems(value);
    yield "]";
  } else {
    let separator = "{";
    for (const [key, item] of Object.entries(value as object)) {
      if (item === undefined) continue;
      yield `${separator}${JSON.stringify(key)}:`;
      yield* write(item);
      separator = ",";
    }
    yield separator === "{" ? "{}" : "}";
  }
}

/**
 * Serializes items in groups, sized by the first of each: weighing all of them would take longer than
 * serializing.
 */
function* writeItems(items: readonly unknown[]): Generator<string> {
  for (let at = 0, end: number; at < items.length; at = end) {
    end = at + Math.max(1, Math.floor(SMALL / (SMALL - weigh(items[at], SMALL))));
    if (at > 0) yield ",";
    if (end - at === 1) yield* write(items[at]);
    else yield JSON.stringify(items.slice(at, end)).slice(1, -1);
  }
}
