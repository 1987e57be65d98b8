/**
 * Queues questions to the user.
 *
 * @module
 */
import { Refusal } from "@vitrine/guard";
import { VitrineError } from "@vitrine/protocol";

interface Queue {
  isBusy: boolean;
  waiting: (() => void)[];
}

/** Queues of questions: each requester has one open question. A few more wait, and the others are refused. */
export class QuestionQueues {
  readonly #waiting: number;
  readonly #queues = new Map<string, Queue>();

  constructor(waiting: number) {
    this.#waiting = waiting;
  }

  /**
   * Waits for the earlier ones in the queue. Returns the function that lets the next one go.
   *
   * @throws {Refusal} `rate-limited` if the queue is full
   * @throws {VitrineError} `aborted` if it is cancelled while it waits
   */
  async enter(name: string, signal: AbortSignal): Promise<() => void> {
    await this.#turn(name, signal);
    return () => this.#leave(name);
  }

  #turn(name: string, signal: AbortSignal): Promise<void> {
    const queue = this.#queues.get(name) ?? { isBusy: false, waiting: [] };
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(cancelledRequest());
      if (!queue.isBusy) {
        queue.isBusy = true;
        this.#queues.set(name, queue);
        return resolve();
      }
      if (queue.waiting.length >= this.#waiting) {
        const message = "too many questions are waiting for an answer: ask one after the other";
        return reject(new Refusal("rate-limited", message));
      }
      const go = (): void => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = (): void => {
        queue.waiting = queue.waiting.filter((other) => other !== go);
        reject(cancelledRequest());
      };
      signal.addEventListener("abort", leave, { once: true });
      queue.waiting.push(go);
    });
  }

  #leave(name: string): void {
    const next = this.#queues.get(name)?.waiting.shift();
    if (next) next();
    else this.#queues.delete(name);
  }
}

/** The error of a cancelled request. */
export const cancelledRequest = (): VitrineError => new VitrineError("aborted", "the request was cancelled");
