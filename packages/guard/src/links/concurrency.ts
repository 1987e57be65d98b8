/**
 * How much a view may have under way.
 *
 * @module
 */
import type { Link } from "./link.js";
import { Refusal, takenBack } from "./refusal.js";

/** How many may run, and wait. */
export interface ConcurrencyLimits {
  /** Running, of one view. */
  perView: number;
  /** Running, of all views together. */
  total: number;
  /** Waiting, of one view; more are refused. */
  waiting: number;
}

/** Enough for apps that hold some calls open to hear from their server. */
export const CONCURRENCY_LIMITS: ConcurrencyLimits = { perView: 16, total: 256, waiting: 100 };

/** Runs something when it is the view's turn. */
export type Gate = <T>(view: string, signal: AbortSignal | undefined, run: () => Promise<T>) => Promise<T>;

/** A gate that lets views through by turns, so that one with many calls does not hold up one with few (D05). */
export function fairGate({ perView, total, waiting }: ConcurrencyLimits): Gate {
  const lanes = new Map<string, { running: number; queue: (() => void)[] }>();
  let running = 0;

  const pump = (): void => {
    for (const [view, lane] of lanes) {
      if (running >= total) return;
      const go = lane.running < perView && lane.queue.shift();
      if (!go) continue;
      // To the end, where this loop meets it again after the others had their turn.
      lanes.delete(view);
      lanes.set(view, lane);
      go();
    }
  };

  return async (view, signal, run) => {
    const lane = lanes.get(view) ?? { running: 0, queue: [] };
    const tidy = () => lane.running + lane.queue.length || lanes.delete(view);
    lanes.set(view, lane);
    await new Promise<void>((resolve, reject) => {
      const go = () => {
        signal?.removeEventListener("abort", leave);
        lane.running++;
        running++;
        resolve();
      };
      const leave = () => {
        lane.queue = lane.queue.filter((other) => other !== go);
        tidy();
        reject(takenBack());
      };
      if (signal?.aborted) return leave();
      if (lane.queue.length >= waiting) {
        return reject(new Refusal("rate-limited", "too much is under way: wait for an answer"));
      }
      signal?.addEventListener("abort", leave);
      lane.queue.push(go);
      pump();
    });
    try {
      return await run();
    } finally {
      running--;
      lane.running--;
      tidy();
      pump();
    }
  };
}

/**
 * Lets a view have so many requests to its server under way, and makes the others wait for their turn (D05). It
 * belongs behind the policy: a call that waits for a person keeps nobody else waiting.
 *
 * @example
 * ```ts source="./guard.examples.ts#limitConcurrency"
 * const link = limitConcurrency({ perView: 4, total: 32 });
 * ```
 */
export function limitConcurrency(limits: Partial<ConcurrencyLimits> = {}): Link {
  const gate = fairGate({ ...CONCURRENCY_LIMITS, ...limits });
  return (call, next) =>
    /^(tools|resources|prompts|sampling)\//.test(call.method)
      ? gate(call.view, call.signal, () => next(call))
      : next(call);
}
