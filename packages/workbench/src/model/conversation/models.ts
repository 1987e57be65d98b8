/**
 * Which model answers, and which ones could.
 *
 * @module
 */
import type { Gateway } from "@vitrine/host/gateway";
import type { ModelState } from "@vitrine/wire";
import { messageOf } from "../messages/messages.js";
import { Observable } from "../observable.js";

/** The models of the gateway, kept up to date. */
export class Models extends Observable {
  readonly #gateway: Gateway;
  #state: ModelState | undefined;
  #problem: string | undefined;

  constructor(gateway: Gateway) {
    super();
    this.#gateway = gateway;
    gateway.on("model/changed", (state) => this.#take(state));
  }

  /** Undefined before the gateway has said it. */
  get state(): ModelState | undefined {
    return this.#state;
  }

  /** Why it is not known, or could not be changed. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Asks which there are: at the start, and when the gateway was restarted. */
  async load(): Promise<void> {
    await this.#ask(() => this.#gateway.request("model/state", {}));
  }

  /** This one answers from now on; without one none does. */
  async choose(id: string | undefined): Promise<void> {
    await this.#ask(() => this.#gateway.request("model/choose", { model: id }));
  }

  async #ask(ask: () => Promise<ModelState>): Promise<void> {
    try {
      this.#take(await ask());
    } catch (error) {
      this.#problem = messageOf(error);
      this.changed();
    }
  }

  #take(state: ModelState): void {
    this.#state = state;
    this.#problem = undefined;
    this.changed();
  }
}
