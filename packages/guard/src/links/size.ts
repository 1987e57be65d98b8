/**
 * How large things may be.
 *
 * @module
 */
import { JsonText } from "@vitrine/protocol";
import type { Link } from "./link.js";
import { Refusal } from "./refusal.js";

/** Levels of nesting; real data has a dozen, and what recurses over more may run out of stack. */
const MAX_DEPTH = 500;

/** Limits in characters of JSON. */
export interface SizeLimits {
  /** Of params, by method; `"*"` is for all others. */
  params: { readonly [method: string]: number };
  /** Of a result. */
  result: number;
}

/** Room for pictures in messages, and files in arguments; none for data that is carried off in a log. */
export const SIZE_LIMITS: SizeLimits = {
  params: {
    "*": 1_000_000,
    "tools/call": 16_000_000,
    "ui/download-file": 32_000_000,
    "ui/message": 500_000,
    "ui/update-model-context": 1_000_000,
    "sampling/createMessage": 4_000_000,
    "ui/open-link": 10_000,
    "notifications/message": 50_000,
  },
  result: 64_000_000,
};

/**
 * About how many characters of JSON a value is, counted and not written. Stops soon after `limit`, so that it ends
 * for every value: a cycle is endless, and hence too large. So is what is nested too deep, or is no JSON.
 *
 * @example
 * ```ts source="./guard.examples.ts#sizeOf"
 * const cycle: unknown[] = [];
 * cycle.push(cycle);
 * const isTooLarge = sizeOf(cycle, 1_000_000) > 1_000_000;
 * ```
 */
export function sizeOf(value: unknown, limit: number): number {
  let size = 0;
  const note = (part: unknown, characters: number) => {
    below.push(part);
    size += characters;
    return size > limit;
  };
  let level = [value];
  let below: unknown[];
  // Level by level: no recursion, and each child counts when it is noted, so that memory stays below the limit too.
  for (let depth = 0; level.length > 0; depth++, level = below) {
    below = [];
    for (const part of level) {
      size++;
      if (typeof part === "string") size += part.length + 1;
      else if (part instanceof JsonText) size += part.text.length;
      else if (Object(part) !== part) size += 3;
      else if (depth > MAX_DEPTH || !/ (Object|Array)\]/.test(Object.prototype.toString.call(part)))
        return limit + 1;
      else if (Array.isArray(part)) {
        for (const item of part) if (note(item, 1)) break;
      } else {
        for (const key in part as object)
          if (note((part as Record<string, unknown>)[key], key.length + 3)) break;
      }
      if (size > limit) return size;
    }
  }
  return size;
}

const counted = new WeakMap<object, number>();

/** The size of params or a result: what {@link limitSize} counted, or a count that does not go on for long. */
export const payloadSize = (value: unknown): number =>
  Object(value) === value ? (counted.get(value as object) ?? sizeOf(value, 1_000_000)) : 0;

/**
 * Refuses params and results that are larger than the limit of their method (attacks A43, A44, C15).
 *
 * @example
 * ```ts source="./guard.examples.ts#limitSize"
 * const link = limitSize({ params: { "ui/message": 20_000 }, result: 1_000_000 });
 * ```
 */
export function limitSize(limits: Partial<SizeLimits> = {}): Link {
  const params = { ...SIZE_LIMITS.params, ...limits.params };
  const check = (what: string, value: unknown, limit = 0) => {
    const size = sizeOf(value, limit);
    if (Object(value) === value) counted.set(value as object, size);
    if (size <= limit) return;
    throw new Refusal("too-large", `${what}: more than ${limit} characters, nested too deep, or no JSON`);
  };
  return async (call, next) => {
    check(call.method, call.params, params[call.method] ?? params["*"]);
    const result = await next(call);
    check(`result of ${call.method}`, result, limits.result ?? SIZE_LIMITS.result);
    return result;
  };
}
