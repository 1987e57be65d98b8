/**
 * Refuses requests while the gateway stops.
 *
 * @module
 */
import { GatewayError } from "@vitrine/wire";
import type { Route } from "./route.js";

/** How far a gateway has stopped, for its listener. */
export interface StopState {
  /** Whether requests should go to another gateway. */
  readonly isDraining: boolean;
  /** Whether new work is refused: of this user, or of everybody. */
  refuses(user: string | undefined): boolean;
  /** Whether the user has a session that still ends its calls. */
  hasSessions(user: string): boolean;
}

/** The checks of a listener. */
export class Stopping {
  readonly #state: StopState | undefined;
  readonly #isClosing: () => boolean;

  constructor(state: StopState | undefined, isClosing: () => boolean) {
    this.#state = state;
    this.#isClosing = isClosing;
  }

  get isDraining(): boolean {
    return this.#state?.isDraining === true || this.#isClosing();
  }

  /** @throws {GatewayError} `stopping`, for a request that would begin something new */
  check({ whileStopping }: Route, user: string | undefined): void {
    if (whileStopping === "always") return;
    if (!this.#isClosing()) {
      if (!this.#state?.refuses(user)) return;
      if (whileStopping === "sessions" && user !== undefined && this.#state.hasSessions(user)) return;
    }
    throw new GatewayError("stopping", "the gateway is stopping: try again in a moment");
  }
}
