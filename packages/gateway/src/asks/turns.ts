/**
 * Queues questions to the user.
 *
 * @module
 */
import { Refusal } from "@vitrine/guard";
import { VitrineError } from "@vitrine/protocol";

interface Lane {
  isBusy: boolean;
  queue: (() => void)[];
}

/** Runs one question at a time per requester. A few more are queued, and the others are refused. */
export class Turns {
  readonly #waiting: number;
  readonly #lanes = new Map<string, Lane>();

  constructor(waiting: number) {
    this.#waiting = waiting;
  }

  /**
   * Runs it after the earlier ones in its queue.
   *
   * @throws {Refusal} `rate-limited` if the queue is full
   * @throws {VitrineError} `aborted` if it is cancelled while it waits
   */
  async run<T>(lane: string, signal: AbortSignal, run: () => Promise<T>): Promise<T> {
    await this.#enter(lane, signal);
    try {
      return await run();
    } finally {
      this.#leave(lane);
    }
  }

  #enter(name: string, signal: AbortSignal): Promise<void> {
    const lane = this.#lanes.get(name) ?? { isBusy: false, queue: [] };
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(takenBack());
      if (!lane.isBusy) {
        lane.isBusy = true;
        this.#lanes.set(name, lane);
        return resolve();
      }
      if (lane.queue.length >= this.#waiting) {
        const message = "too many questions are waiting for an answer: ask one after the other";
        return reject(new Refusal("rate-limited", message));
      }
      const go = (): void => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = (): void => {
        lane.queue = lane.queue.filter((other) => other !== go);
        reject(takenBack());
      };
      signal.addEventListener("abort", leave, { once: true });
      lane.queue.push(go);
    });
  }

  #leave(name: string): void {
    const next = this.#lanes.get(name)?.queue.shift();
    if (next) next();
    else this.#lanes.delete(name);
  }
}

/** The error of a cancelled request. */
export const takenBack = (): VitrineError => new VitrineError("aborted", "the request was cancelled");
