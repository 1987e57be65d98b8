/**
 * Stops a gateway without losing calls: what has begun may end, and everything else continues at the next
 * gateway.
 *
 * @module
 */
import { setTimeout as wait } from "node:timers/promises";
import type { DrainSettings } from "../config/config.js";
import type { StopState } from "../http/stopping.js";
import type { GatewayParts } from "./parts.js";

/** The parts that a drain stops. */
export type DrainedParts = Pick<
  GatewayParts,
  "conversations" | "counts" | "log" | "pages" | "pool" | "registry" | "servers"
>;

/** Milliseconds between checks. */
const TICK = 20;
/** Users whose pages are sent away per check, so that they do not all arrive at the next gateway at once. */
const BATCH = 200;

/**
 * The drain of a gateway, or of single users. New work is refused, and calls that have begun may end. A user
 * without such calls leaves: the pages get a bye, reconnect, and send their unanswered requests again under
 * the same keys, as after a crash.
 */
export class Drain implements StopState {
  readonly #parts: DrainedParts;
  readonly #handOver: (left: () => number) => Promise<void>;
  /** Users who are being handed over, or have been. */
  readonly #held = new Set<string>();
  #draining: Promise<void> | undefined;
  #isHolding = false;
  /** Times of the monotonic clock. */
  #holdAt = Number.POSITIVE_INFINITY;
  #endAt = Number.POSITIVE_INFINITY;

  /** @param handOver hands users over to other nodes, in a time */
  constructor(parts: DrainedParts, handOver: (left: () => number) => Promise<void> = async () => {}) {
    this.#parts = parts;
    this.#handOver = handOver;
  }

  get isDraining(): boolean {
    return this.#draining !== undefined;
  }

  refuses(user: string | undefined): boolean {
    return this.#isHolding || (user !== undefined && this.#held.has(user));
  }

  hasSessions(user: string): boolean {
    return this.#parts.registry.hasSessions(user);
  }

  /** Milliseconds that are left for pending work. */
  get left(): number {
    return Math.max(0, this.#endAt - performance.now());
  }

  /**
   * Drains the whole gateway; resolves when every user has left, or the time is over. Another call shortens
   * the times of the first.
   */
  all({ time, delay }: DrainSettings): Promise<void> {
    const now = performance.now();
    this.#holdAt = Math.min(this.#holdAt, now + delay);
    this.#endAt = Math.min(this.#endAt, now + delay + time);
    return (this.#draining ??= this.#all());
  }

  /**
   * Hands one user over: resolves when no session, conversation, call or program of theirs is left in this
   * process. Their requests are refused until {@link accept}.
   */
  async user(user: string, time: number): Promise<void> {
    const { conversations, pages, pool, registry } = this.#parts;
    this.#held.add(user);
    conversations.windDown(user);
    for (const page of pages.of(user)) page.hold();
    const endAt = performance.now() + time;
    while (!this.#isQuiet(user) && performance.now() < endAt) await wait(TICK);
    registry.endUser(user, "stopping");
    await pool.release(user, 0);
    await conversations.release(user);
  }

  /** Whether the user would lose nothing by moving to another node now, but a moment. */
  isIdle(user: string): boolean {
    const { conversations, pages } = this.#parts;
    const isAsked = pages.of(user).some(({ isAsking }) => isAsking);
    const { entered } = this.#parts.servers.begun.of(user);
    return entered === 0 && !isAsked && !conversations.isRunning(user) && this.#isQuiet(user);
  }

  /** Hands an idle user over: like {@link user}, and requests that were accepted before begin nothing, either. */
  async idleUser(user: string, time: number): Promise<void> {
    this.#parts.servers.begun.of(user).isMoving = true;
    await this.user(user, time);
  }

  /** Serves a user again. */
  accept(user: string): void {
    this.#parts.servers.begun.of(user).isMoving = false;
    this.#held.delete(user);
  }

  async #all(): Promise<void> {
    const { conversations, counts, log, pages, registry } = this.#parts;
    counts.draining.set({}, 1);
    if (performance.now() < this.#holdAt) log.info("not ready: the gateway stops soon");
    while (performance.now() < this.#holdAt) await wait(TICK);
    await this.#handOver(() => this.left).catch((error: unknown) =>
      log.error(
        { err: error },
        "users could not be handed over: another node takes them when this one has stopped",
      ),
    );
    this.#isHolding = true;
    log.info({ sessions: registry.size, calls: this.#begun() }, "draining");
    conversations.windDown();
    for (const page of pages.of()) page.hold();
    for (;;) {
      this.#sendAway();
      const isOver = registry.size === 0 && this.#begun() === 0;
      if (isOver || performance.now() >= this.#endAt) break;
      await wait(TICK);
    }
    log.info({ sessions: registry.size, calls: this.#begun() }, "drained");
  }

  #sendAway(): void {
    const { registry } = this.#parts;
    let count = 0;
    for (const user of registry.users) {
      if (!this.#isQuiet(user)) continue;
      registry.endUser(user, "stopping");
      if (++count === BATCH) return;
    }
  }

  #begun(user?: string): number {
    return this.#parts.servers.begun.count(user);
  }

  #isQuiet(user: string): boolean {
    return this.#begun(user) === 0 && this.#parts.registry.isFlushed(user);
  }
}
