/**
 * Messages as text, without stopping the page for a large one.
 *
 * @module
 */
import { JsonText } from "@vitrine/protocol";

/** Values in a message that is written at once: a few milliseconds of work. */
const SMALL = 5000;
/** Characters that weigh as much as a value. */
const PER_VALUE = 200;
/** Values that are copied faster than they are written, and as how much text each counts: the copy is made at once. */
const FEW = 500;
const PER_FEW = 40_000;
/** Characters of text in one part: as much work as so many values. */
export const PART = SMALL * PER_VALUE;

/**
 * A message in the form in which it is sent: JSON or, when it is large, the parts of it, each soon made; what is JSON
 * already is not written again. Much text in few values stays as it is: it is copied faster than it is written.
 */
export function encode(message: unknown): string | object | Iterable<string> {
  const { result, params, ...rest } = Object(message) as Record<string, unknown>;
  const raw = result instanceof JsonText ? result : params instanceof JsonText ? params : undefined;
  if (raw)
    return `${JSON.stringify(rest).slice(0, -1)},"${raw === result ? "result" : "params"}":${raw.text}}`;
  if (weigh(message, SMALL) > 0) return JSON.stringify(message);
  return weigh(message, FEW, PER_FEW) > 0 ? Object(message) : write(message);
}

/** A text in parts. */
export function* cut(text: string): Generator<string> {
  for (let at = 0, end: number; at < text.length; at = end) {
    end = at + PART;
    // Two halves of one character stay together.
    if ((text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end--;
    yield text.slice(at, end);
  }
}

/** Deeper than any honest message; what is nested further is left to `JSON.stringify`, which knows its own limit. */
const DEEP = 200;

/** What is left of an allowance after a value: at most 0 when it is larger. */
function weigh(value: unknown, allowance: number, perValue = PER_VALUE, depth = 0): number {
  if (typeof value === "string") return allowance - 1 - value.length / perValue;
  let left = allowance - 1;
  if (typeof value === "object" && value !== null && depth < DEEP) {
    // Not `for in`, which writes down all keys of an array before it begins.
    for (const item of Array.isArray(value) ? value : Object.values(value)) {
      left = weigh(item, left, perValue, depth + 1);
      if (left <= 0) break;
    }
  }
  return left;
}

/** The parts of a value's JSON, each soon made. */
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

/** Items are written in groups, as many as the first of each lets expect: to weigh them all takes longer than to write. */
function* writeItems(items: readonly unknown[]): Generator<string> {
  for (let at = 0, end: number; at < items.length; at = end) {
    end = at + Math.max(1, Math.floor(SMALL / (SMALL - weigh(items[at], SMALL))));
    if (at > 0) yield ",";
    if (end - at === 1) yield* write(items[at]);
    else yield JSON.stringify(items.slice(at, end)).slice(1, -1);
  }
}
