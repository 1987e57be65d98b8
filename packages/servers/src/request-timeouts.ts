/**
 * Timeouts of requests to a server.
 *
 * @module
 */
import type { UpstreamRequestOptions } from "@vitrine/guard";
import { type Progress, VitrineError } from "@vitrine/protocol";

/** The longest delay of a timer. */
export const FOR_EVER = 2 ** 31 - 1;

/**
 * Ends requests that get neither an answer nor progress in time. Timers pause while the server itself waits
 * for an answer, because a user takes longer than any program.
 */
export class RequestTimeouts {
  readonly #timeout: number;
  readonly #timers = new Set<NodeJS.Timeout>();
  #held = 0;

  constructor(timeout: number) {
    this.#timeout = timeout;
  }

  /**
   * Suspends all timeouts until the returned function is called; then each starts again with its full time.
   */
  hold(): () => void {
    this.#held++;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      if (--this.#held === 0) for (const timer of this.#timers) timer.refresh();
    };
  }

  /** Starts a timer. `refresh` it on each progress, and {@link stop} it in the end. */
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

  /** Makes a request with a timeout. */
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
        // Without a listener, only calls request progress.
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
