/**
 * What a replayed app has done so far, and how long more of it is waited for.
 *
 * @module
 */
import type { AppLog } from "../app/app-log.js";
import { isDeed } from "./recorded-run.js";

/** Counts the deeds of one app. What depends on the place and the time, such as sizes and log lines, is none of them. */
export class Deeds {
  readonly #log: AppLog;
  #count = 0;
  /** The number of the last message that was looked at. */
  #last = 0;

  constructor(log: AppLog) {
    this.#log = log;
  }

  /** How many there were. Each message is looked at once: logs are long, and forget their beginnings. */
  get count(): number {
    const { messages } = this.#log;
    const last = messages.at(-1)?.n ?? this.#last;
    for (let at = messages.length - 1; at >= 0; at--) {
      const message = messages[at];
      if (!message || message.n <= this.#last) break;
      const { direction: d, kind, method } = message;
      if (isDeed({ d, kind, method })) this.#count++;
    }
    this.#last = last;
    return this.#count;
  }

  /**
   * Resolves when there were so many, when no more can come, or when none came for as long as `patience` says. An app
   * that says other things meanwhile is not waited for any longer.
   */
  reach(count: number, isOver: () => boolean, patience: () => number): Promise<void> {
    return new Promise((resolve) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      let before = "";
      const end = (): void => {
        clearTimeout(timer);
        stop();
        resolve();
      };
      const look = (): void => {
        const wait = patience();
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

  /** Resolves when none came for so many milliseconds. */
  async quiet(milliseconds: number): Promise<void> {
    for (let before = -1; before !== this.count; ) {
      before = this.count;
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
    }
  }
}
