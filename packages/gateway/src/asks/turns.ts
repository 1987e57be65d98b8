/**
 * One after the other.
 *
 * @module
 */
import { Refusal } from "@vitrine/guard";
import { VitrineError } from "@vitrine/protocol";

interface Lane {
  isBusy: boolean;
  queue: (() => void)[];
}

/** What waits for a person is one thing at a time for each who asks; a few more may wait, and the others are refused. */
export class Turns {
  readonly #waiting: number;
  readonly #lanes = new Map<string, Lane>();

  constructor(waiting: number) {
    this.#waiting = waiting;
  }

  /**
   * Runs it when it is its turn.
   *
   * @throws {Refusal} `rate-limited` when too many wait already
   * @throws {VitrineError} `aborted` when it was taken back while it waited
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
        const message = "too many questions wait for an answer: ask one after the other";
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

/** What a request ends with that nobody waits for any more. */
export const takenBack = (): VitrineError => new VitrineError("aborted", "the request was taken back");
