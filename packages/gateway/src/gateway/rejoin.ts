/**
 * A gateway that starts again when it has lost its lease: as a node with a new id, and without users.
 *
 * @module
 */
import { setTimeout as wait } from "node:timers/promises";
import type { Log } from "../http/logging.js";
import { isLeaseOver, LeaseOver } from "../store/postgres-fence.js";
import type { RunningGateway } from "./gateway.js";

/** Milliseconds before the next attempt: at first, and at most. */
const RETRY = { first: 200, most: 5000 };
/** Attempts of the first start, if each of them takes longer than its lease lasts. */
const ATTEMPTS = 5;

/** Options of {@link RejoiningGateway.start}. */
export interface RejoinOptions {
  /** Starts a gateway, which calls `onlost` when it has lost its lease. */
  readonly start: (onlost: () => void) => Promise<RunningGateway>;
  readonly log: Pick<Log, "info" | "error">;
}

/** A gateway, or after the loss of its lease the next one. */
export class RejoiningGateway {
  readonly #options: RejoinOptions;
  #current: RunningGateway | undefined;
  #joining: Promise<void> | undefined;
  #isClosed = false;

  private constructor(options: RejoinOptions) {
    this.#options = options;
  }

  /** Starts the first gateway; rejects if that fails for another reason than a lease that was lost meanwhile. */
  static async start(options: RejoinOptions): Promise<RejoiningGateway> {
    const rejoining = new RejoiningGateway(options);
    let pause = RETRY.first;
    for (let attempt = 1; ; attempt++) {
      try {
        rejoining.#current = await rejoining.#open();
        return rejoining;
      } catch (error) {
        if (attempt === ATTEMPTS || !isLeaseOver(error)) throw error;
        options.log.error({ err: error }, "the lease was lost during the start: this gateway starts again");
      }
      await wait(pause);
      pause *= 2;
    }
  }

  /** The running gateway; undefined between two of them. */
  get current(): RunningGateway | undefined {
    return this.#current;
  }

  /** Closes the running gateway, and starts no other. */
  async close(grace?: number): Promise<void> {
    this.#isClosed = true;
    await this.#joining;
    await this.#current?.close(grace);
  }

  #lost(): void {
    this.#joining ??= this.#rejoin().finally(() => {
      this.#joining = undefined;
    });
  }

  async #rejoin(): Promise<void> {
    const { log } = this.#options;
    const lost = this.#current;
    this.#current = undefined;
    // Nothing of it can act any more, so there is nothing to wait for.
    await lost?.close(0).catch((error: unknown) => log.error({ err: error }, "closing failed"));
    for (let pause = RETRY.first; !this.#isClosed; pause = Math.min(2 * pause, RETRY.most)) {
      try {
        this.#current = await this.#open();
        log.info("this gateway has joined the other nodes again");
        return;
      } catch (error) {
        log.error({ err: error }, "this gateway cannot join the other nodes yet");
      }
      await wait(pause);
    }
  }

  /** Starts a gateway. One that loses its lease before it has started is of no use. */
  async #open(): Promise<RunningGateway> {
    const { start, log } = this.#options;
    let isLost = false;
    let opened: RunningGateway | undefined;
    opened = await start(() => {
      isLost = true;
      if (opened) this.#lost();
    }).catch((error: unknown) => {
      throw isLost ? new LeaseOver(error) : error;
    });
    if (!isLost) return opened;
    await opened.close(0).catch((error: unknown) => log.error({ err: error }, "closing failed"));
    throw new LeaseOver();
  }
}
