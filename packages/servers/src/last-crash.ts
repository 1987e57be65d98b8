/**
 * Remembers a server's last crash while it still matters: a server that is back within a second looks as if
 * nothing had happened.
 *
 * @module
 */

import type { ServerStatus } from "./server.js";
import type { Clock } from "./support/clock.js";

type Crash = NonNullable<ServerStatus["crash"]>;

/** Milliseconds of running time after which a crash is forgotten, summed over all runs. */
const FORGIVEN = 600_000;

/** The last crash of one server. */
export class LastCrash {
  readonly #clock: Clock;
  readonly #onforgotten: () => void;
  #crash: Crash | undefined;
  /** Milliseconds of running time still required. */
  #left = 0;
  #pause: (() => void) | undefined;

  /** @param onforgotten called when the server has run long enough */
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

  /** Starts to count running time. */
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

  /** Stops counting: the server is not running. */
  pause(): void {
    this.#pause?.();
    this.#pause = undefined;
  }
}
