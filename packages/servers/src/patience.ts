/**
 * How long a request to a server is waited for.
 *
 * @module
 */
import type { UpstreamRequestOptions } from "@vitrine/guard";
import { type Progress, VitrineError } from "@vitrine/protocol";

/** The longest time that a timer can have. */
export const FOR_EVER = 2 ** 31 - 1;

/**
 * Gives up requests without an answer and without progress (D7); but never while the server itself waits for an answer:
 * of a person that takes longer than anything that a program does.
 */
export class Patience {
  readonly #timeout: number;
  readonly #timers = new Set<NodeJS.Timeout>();
  #held = 0;

  constructor(timeout: number) {
    this.#timeout = timeout;
  }

  /** Nothing is given up until what it returns is called; then all have their whole time again. */
  hold(): () => void {
    this.#held++;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      if (--this.#held === 0) for (const timer of this.#timers) timer.refresh();
    };
  }

  /** Starts to wait; `refresh` the timer with each progress, and {@link stop} it in the end. */
  start(giveUp: () => void): NodeJS.Timeout {
    const timer = setTimeout(() => {
      if (this.#held > 0) timer.refresh();
      else giveUp();
    }, this.#timeout);
    this.#timers.add(timer);
    return timer;
  }

  stop(timer: NodeJS.Timeout): void {
    this.#timers.delete(timer);
    clearTimeout(timer);
  }

  /** Makes a request that is given up in time. */
  async run<T>(
    method: string,
    { signal, onprogress }: UpstreamRequestOptions,
    request: (options: UpstreamRequestOptions) => Promise<T>,
  ): Promise<T> {
    const late = new AbortController();
    const timer = this.start(() => late.abort());
    const progress = (said: Progress): void => {
      timer.refresh();
      onprogress?.(said);
    };
    try {
      return await request({
        signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
        // Without somebody who hears it, only calls are asked to report it.
        ...((onprogress || method === "tools/call") && { onprogress: progress }),
      });
    } catch (cause) {
      if (!late.signal.aborted) throw cause;
      throw new VitrineError("timeout", "the server did not answer in time", { cause });
    } finally {
      this.stop(timer);
    }
  }
}
