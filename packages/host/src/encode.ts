/**
 * Messages as text, without stopping the page for a large one.
 *
 * @module
 */
import { JsonText } from "@vitrine/protocol";

/** Values in a message that is written at once: a few milliseconds of work. */
const SMALL = 20_000;
/** Characters that weigh as much as a value. */
const PER_VALUE = 50;
/** Values that are copied faster than they are written. */
const FEW = 500;
/** Milliseconds of work at a time: under what a person notices, and few enough turns that waiting costs little. */
const SLICE = 40;

/**
 * A message in the form in which it is sent: JSON, written now or, when it is large, in slices; parts that are JSON
 * already are not written again. Much text in few values stays as it is: it is copied faster than it is written.
 */
export function encode(message: unknown): string | object | Promise<string> {
  const { result, params, ...rest } = Object(message) as Record<string, unknown>;
  const raw = result instanceof JsonText ? result : params instanceof JsonText ? params : undefined;
  if (raw)
    return `${JSON.stringify(rest).slice(0, -1)},"${raw === result ? "result" : "params"}":${raw.text}}`;
  if (weigh(message, SMALL) > 0) return JSON.stringify(message);
  return weigh(message, FEW, 0, Number.MAX_VALUE) > 0 ? Object(message) : inSlices(message);
}

/** Deeper than any honest message; what is nested further is left to `JSON.stringify`, which knows its own limit. */
const DEEP = 200;

/** What is left of an allowance after a value: at most 0 when it is larger. */
function weigh(value: unknown, allowance: number, depth = 0, perValue = PER_VALUE): number {
  if (typeof value === "string") return allowance - 1 - value.length / perValue;
  let left = allowance - 1;
  if (typeof value === "object" && value !== null && depth < DEEP) {
    for (const key in value) {
      left = weigh((value as Record<string, unknown>)[key], left, depth + 1, perValue);
      if (left <= 0) break;
    }
  }
  return left;
}

async function inSlices(message: unknown): Promise<string> {
  const parts: string[] = [];
  let started = performance.now();
  for (const part of write(message)) {
    parts.push(part);
    if (performance.now() - started < SLICE) continue;
    await new Promise((resolve) => setTimeout(resolve));
    started = performance.now();
  }
  return parts.join("");
}

/** The parts of a value's JSON, each soon made. */
function* write(value: unknown): Generator<string> {
  if (typeof value === "string" && value.length > SMALL * PER_VALUE) {
    yield '"';
    for (let at = 0, end: number; at < value.length; at = end) {
      end = at + SMALL * PER_VALUE;
      // Two halves of one character stay together.
      if ((value.charCodeAt(end - 1) & 0xfc00) === 0xd800) end--;
      yield JSON.stringify(value.slice(at, end)).slice(1, -1);
    }
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
