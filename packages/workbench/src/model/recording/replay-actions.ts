/**
 * Counts the actions of a replayed app, and waits for more.
 *
 * @module
 */
import type { AppLog } from "../app/app-log.js";
import { isAction } from "./recorded-run.js";

/**
 * Counts the actions of one app. Messages that depend on size and timing, such as sizes and log lines, do not
 * count.
 */
export class ReplayActions {
  readonly #log: AppLog;
  #count = 0;
  /** The number of the last checked message. */
  #last = 0;

  constructor(log: AppLog) {
    this.#log = log;
  }

  /** The number of actions. Each message is checked once, because logs are long and drop their start. */
  get count(): number {
    const { messages } = this.#log;
    const last = messages.at(-1)?.n ?? this.#last;
    for (let at = messages.length - 1; at >= 0; at--) {
      const message = messages[at];
      if (!message || message.n <= this.#last) break;
      const { direction: d, kind, method } = message;
      if (isAction({ d, kind, method })) this.#count++;
    }
    this.#last = last;
    return this.#count;
  }

  /**
   * Resolves at this number of actions, when no more can come, or when none came within `timeout`
   * milliseconds. Other messages do not extend the wait.
   */
  reach(count: number, isOver: () => boolean, timeout: () => number): Promise<void> {
    return new Promise((resolve) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      let before = "";
      const end = (): void => {
        clearTimeout(timer);
        stop();
        resolve();
      };
      const look = (): void => {
        const wait = timeout();
        const now = `${this.count} ${wait}`;
        if (this.count >= count || isOver()) end();
        else if (now !== before) {
          before = now;
          clearTimeout(timer);
          timer = setTimeout(end, wait);
        }
      };
      const stop = this.#log.subscribe(look);
      look();
    });
  }

  /** Resolves when none came for this many milliseconds. */
  async quiet(milliseconds: number): Promise<void> {
    for (let before = -1; before !== this.count; ) {
      before = this.count;
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
    }
  }
}
