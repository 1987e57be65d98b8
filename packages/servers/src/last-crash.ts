/**
 * How a server ended last, kept while it still matters: one that is back within a second looks as if nothing had been.
 *
 * @module
 */

import type { ServerStatus } from "./server.js";
import type { Clock } from "./support/clock.js";

type Crash = NonNullable<ServerStatus["crash"]>;

/** Milliseconds that a server must run after a crash until it is forgotten, all its runs together. */
const FORGIVEN = 600_000;

/** The last crash of one server. */
export class LastCrash {
  readonly #clock: Clock;
  readonly #onforgotten: () => void;
  #crash: Crash | undefined;
  /** Milliseconds that it must still run. */
  #left = 0;
  #pause: (() => void) | undefined;

  /** @param onforgotten hears that it has run for long enough */
  constructor(clock: Clock, onforgotten: () => void) {
    this.#clock = clock;
    this.#onforgotten = onforgotten;
  }

  get crash(): Crash | undefined {
    return this.#crash;
  }

  keep(crash: Crash): void {
    this.forget();
    this.#crash = crash;
    this.#left = FORGIVEN;
  }

  forget(): void {
    this.pause();
    this.#crash = undefined;
  }

  /** The server runs: its time counts from now on. */
  run(): void {
    this.pause();
    if (!this.#crash) return;
    const from = this.#clock.now();
    const cancel = this.#clock.after(this.#left, () => {
      this.forget();
      this.#onforgotten();
    });
    this.#pause = () => {
      cancel();
      this.#left -= Math.max(0, this.#clock.now() - from);
    };
  }

  /** The server does not run. */
  pause(): void {
    this.#pause?.();
    this.#pause = undefined;
  }
}
