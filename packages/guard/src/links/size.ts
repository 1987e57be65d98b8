/**
 * Limits the size of params and results.
 *
 * @module
 */
import { JsonText } from "@vitrine/protocol";
import type { Link } from "./link.js";
import { Refusal } from "./refusal.js";

/** Maximum depth; real data has a dozen levels, and recursion over more may run out of stack. */
const MAX_DEPTH = 500;

/** Limits in characters of JSON. */
export interface SizeLimits {
  /** Of params, by method; `"*"` is for all others. */
  params: { readonly [method: string]: number };
  /** Of a result. */
  result: number;
}

/** Room for images in messages and files in arguments, but not for data exfiltrated through logs. */
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
 * The approximate size of a value in characters of JSON, without serializing it. Stops soon after `limit`, so
 * that it ends for every value: a cycle is endless, and so too large. Values that are nested too deeply or
 * are not JSON count as too large too.
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
  // Level by level, without recursion; each child counts when it is queued, so that memory stays below the
  // limit too.
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

/** The size of params or a result: as counted by {@link limitSize}, or a bounded count. */
export const payloadSize = (value: unknown): number =>
  Object(value) === value ? (counted.get(value as object) ?? sizeOf(value, 1_000_000)) : 0;

/**
 * Refuses params and results that are larger than the limit of their method.
 *
 * @example
 * ```ts source="./guard.examples.ts#limitSize"
 * const link = limitSize({ params: { "ui/message": 20_000 }, result: 1_000_000 });
 * ```
 */
export function limitSize(limits: Partial<SizeLimits> = {}): Link {
  // A map, because the view may choose the method, such as "constructor".
  const params = new Map(Object.entries({ ...SIZE_LIMITS.params, ...limits.params }));
  const check = (what: string, value: unknown, limit = 0) => {
    const size = sizeOf(value, limit);
    if (Object(value) === value) counted.set(value as object, size);
    if (size <= limit) return;
    throw new Refusal("too-large", `${what}: more than ${limit} characters, nested too deeply, or not JSON`);
  };
  return async (call, next) => {
    check(call.method, call.params, params.get(call.method) ?? params.get("*"));
    const result = await next(call);
    check(`result of ${call.method}`, result, limits.result ?? SIZE_LIMITS.result);
    return result;
  };
}
