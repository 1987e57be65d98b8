/**
 * Limits the rate of a view's calls.
 *
 * @module
 */
import { HOST_END } from "@vitrine/protocol";
import type { Link } from "./link.js";
import { Refusal } from "./refusal.js";

/** A token bucket: a burst, and a rate per second. */
export interface Rate {
  burst: number;
  perSecond: number;
}

/** Limits of one view, by kind of call. */
export interface RateLimits {
  /** `tools/call` */
  call: Rate;
  /** Lists, resources, prompts. */
  read: Rate;
  /** Calls that a user sees or pays for: messages, links, downloads, sampling. */
  person: Rate;
  /** `ui/update-model-context` */
  context: Rate;
  /** `notifications/message` */
  log: Rate;
  /** Everything else: sizes, display modes, pings. */
  other: Rate;
}

/** Far above the use of a well-behaved app. */
export const RATE_LIMITS: RateLimits = {
  call: { burst: 100, perSecond: 20 },
  read: { burst: 100, perSecond: 20 },
  person: { burst: 10, perSecond: 1 },
  context: { burst: 50, perSecond: 10 },
  log: { burst: 100, perSecond: 20 },
  other: { burst: 200, perSecond: 100 },
};

const kindOf = (method: string): keyof RateLimits =>
  method === "tools/call"
    ? "call"
    : /^(tools|resources|prompts)\//.test(method)
      ? "read"
      : /^(ui\/(message|open-link|download-file)$|sampling)/.test(method)
        ? "person"
        : method === "ui/update-model-context"
          ? "context"
          : method === "notifications/message"
            ? "log"
            : "other";

/** Maximum number of buckets; the least recently used is dropped. */
const MAX_BUCKETS = 1000;

/**
 * A token bucket for each view and kind of call. Excess requests are refused with the time to wait; excess
 * notifications are dropped, with one notice until they stop.
 *
 * @example
 * ```ts source="./guard.examples.ts#limitRate"
 * const link = limitRate({ person: { burst: 3, perSecond: 0.2 } });
 * ```
 */
export function limitRate(limits: Partial<RateLimits> = {}, now: () => number = Date.now): Link {
  const rates = { ...RATE_LIMITS, ...limits };
  const buckets = new Map<string, { tokens: number; at: number; noticed: boolean }>();
  return async (call, next) => {
    const kind = kindOf(call.method);
    const rate = rates[kind];
    const key = `${kind} ${call.view}`;
    const time = now();
    const bucket = buckets.get(key) ?? { tokens: rate.burst, at: time, noticed: false };
    buckets.delete(key);
    buckets.set(key, bucket);
    for (const oldest of buckets.keys()) {
      if (buckets.size <= MAX_BUCKETS) break;
      buckets.delete(oldest);
    }
    const gained = (Math.max(0, time - bucket.at) / 1000) * rate.perSecond;
    bucket.tokens = Math.min(rate.burst, bucket.tokens + gained);
    bucket.at = time;
    // A notice per flood, not one per gap in it.
    if (bucket.tokens === rate.burst) bucket.noticed = false;
    if (bucket.tokens >= 1) {
      bucket.tokens--;
      return next(call);
    }
    const retryAfter = Math.ceil(((1 - bucket.tokens) / rate.perSecond) * 1000);
    const repeated = Object.hasOwn(HOST_END.notifications, call.method) && bucket.noticed;
    bucket.noticed = true;
    const message = `too many calls of ${call.method}: try again in ${retryAfter} ms`;
    throw new Refusal("rate-limited", message, repeated ? { retryAfter, repeated } : { retryAfter });
  };
}
