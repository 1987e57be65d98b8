/**
 * Limits the concurrent requests of views.
 *
 * @module
 */
import type { Link } from "./link.js";
import { cancelledError, Refusal } from "./refusal.js";

/** Maximum running and waiting requests. */
export interface ConcurrencyLimits {
  /** Running, per view. */
  perView: number;
  /** Running, of all views together. */
  total: number;
  /** Waiting, per view; more are refused. */
  waiting: number;
}

/** Enough for apps with several long-polling calls. */
export const CONCURRENCY_LIMITS: ConcurrencyLimits = { perView: 16, total: 256, waiting: 100 };

/** Runs work when it is the view's turn. */
export type Gate = <T>(view: string, signal: AbortSignal | undefined, run: () => Promise<T>) => Promise<T>;

/** A gate with fair turns, so that a view with many calls does not delay others. */
export function fairGate({ perView, total, waiting }: ConcurrencyLimits): Gate {
  const lanes = new Map<string, { running: number; queue: (() => void)[] }>();
  let running = 0;

  const pump = (): void => {
    for (const [view, lane] of lanes) {
      if (running >= total) return;
      const go = lane.running < perView && lane.queue.shift();
      if (!go) continue;
      // Moves it to the end, so that the others get their turn first.
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
        reject(cancelledError());
      };
      if (signal?.aborted) return leave();
      if (lane.queue.length >= waiting) {
        return reject(new Refusal("rate-limited", "too many requests are running: wait for an answer"));
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
 * Limits a view's concurrent requests to its server, and queues the others. Put it behind the policy: a call
 * that waits for the user must not block others.
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
