/**
 * Rate limits: token buckets by name.
 *
 * @module
 */
import type { Rate } from "@vitrine/guard";

/** Maximum number of buckets. Beyond it, the least recently used one is removed. */
const MAX_BUCKETS = 10_000;

/** A bucket for each name, initially full. */
export class Buckets {
  readonly #rate: Rate;
  readonly #now: () => number;
  readonly #buckets = new Map<string, { tokens: number; at: number }>();

  constructor(rate: Rate, now: () => number) {
    this.#rate = rate;
    this.#now = now;
  }

  /** Takes a token. Returns 0, or the milliseconds until one is available. */
  take(name: string): number {
    const wait = this.wait(name);
    if (wait > 0) return wait;
    const bucket = this.#buckets.get(name) ?? { tokens: this.#rate.burst, at: this.#now() };
    bucket.tokens--;
    this.#buckets.set(name, bucket);
    if (this.#buckets.size > MAX_BUCKETS) {
      for (const oldest of this.#buckets.keys()) {
        this.#buckets.delete(oldest);
        break;
      }
    }
    return 0;
  }

  /** Milliseconds until a token is available; 0 if there is one. */
  wait(name: string): number {
    const bucket = this.#buckets.get(name);
    if (!bucket) return 0;
    const { burst, perSecond } = this.#rate;
    const time = this.#now();
    // Setting the clock back removes no tokens.
    bucket.tokens = Math.min(burst, bucket.tokens + (Math.max(0, time - bucket.at) / 1000) * perSecond);
    bucket.at = time;
    this.#buckets.delete(name);
    // A full bucket need not be stored.
    if (bucket.tokens < burst) this.#buckets.set(name, bucket);
    return bucket.tokens >= 1 ? 0 : Math.ceil(((1 - bucket.tokens) / perSecond) * 1000);
  }
}
