/**
 * Renews the lease of a node from the moment it has joined, whatever else it does: opening a large log, settling the calls
 * of a lost node, or stopping takes longer than a lease lasts.
 *
 * @module
 */
import { Listeners } from "@vitrine/protocol";
import { wait } from "./engine.js";
import { noLease, RENEWAL } from "./membership.js";

/** Milliseconds before a failed renewal is repeated. */
const RETRY = 100;

/** Keeps a lease. */
export class LeaseRenewal {
  /** Notified when another node has ended the lease. */
  readonly lost = new Listeners<[]>();
  /** Notified once when the lease cannot be renewed. The next attempts follow at once. */
  readonly failed = new Listeners<[error: unknown]>();
  /** Notified when the lease has not been renewed in time: other nodes may take the users of this one now. */
  readonly lapsed = new Listeners<[]>();
  readonly #renew: () => Promise<boolean>;
  readonly #remaining: () => number;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #failures = 0;

  /**
   * @param renew resolves with false if the lease is lost
   * @param remaining milliseconds until the lease ends
   */
  constructor(renew: () => Promise<boolean>, remaining: () => number) {
    this.#renew = renew;
    this.#remaining = remaining;
    this.#watch();
    void this.#run();
  }

  /** Number of failed renewals, for metrics. */
  get failures(): number {
    return this.#failures;
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** Waits for the end of the lease, which every renewal moves. */
  #watch(): void {
    clearTimeout(this.#timer);
    if (this.#isStopped) return;
    const end = (): void => {
      if (this.#isStopped) return;
      if (this.#remaining() <= 0) this.lapsed.notify();
      else this.#watch();
    };
    // After a pause of the process, an answer that has arrived meanwhile is read first.
    const ended = (): void => void setImmediate(end);
    this.#timer = setTimeout(ended, Math.max(0, Math.ceil(this.#remaining()))).unref();
  }

  async #run(): Promise<void> {
    let isFailing = false;
    while (!this.#isStopped) {
      try {
        const isHeld = await this.#renew();
        if (this.#isStopped) return;
        if (!isHeld) {
          this.stop();
          return this.lost.notify();
        }
        this.#watch();
        isFailing = false;
      } catch (error) {
        if (!isFailing && !this.#isStopped) this.failed.notify(noLease(error));
        isFailing = true;
        this.#failures++;
      }
      await wait(isFailing ? RETRY : RENEWAL);
    }
  }
}
