/**
 * The available models and the current one.
 *
 * @module
 */
import type { GatewayClient } from "@vitrine/host/gateway";
import type { ModelState } from "@vitrine/wire";
import { messageOf } from "../messages/messages.js";
import { Observable } from "../observable.js";

/** The gateway's models, kept up to date. */
export class ModelList extends Observable {
  readonly #gateway: GatewayClient;
  #state: ModelState | undefined;
  #problem: string | undefined;

  constructor(gateway: GatewayClient) {
    super();
    this.#gateway = gateway;
    gateway.on("model/changed", (state) => this.#take(state));
  }

  /** Undefined before the gateway has answered. */
  get state(): ModelState | undefined {
    return this.#state;
  }

  /** Why the state is unknown, or could not be changed. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Requests the models: at the start, and after a restart of the gateway. */
  async load(): Promise<void> {
    await this.#ask(() => this.#gateway.request("model/state", {}));
  }

  /** Selects the model that answers; without one, none does. */
  async choose(id: string | undefined): Promise<void> {
    await this.#ask(() => this.#gateway.request("model/choose", { model: id }));
  }

  /** Shows an error of another request about models. */
  readonly report = (error: unknown): void => {
    this.#problem = messageOf(error);
    this.changed();
  };

  async #ask(ask: () => Promise<ModelState>): Promise<void> {
    try {
      this.#take(await ask());
    } catch (error) {
      this.report(error);
    }
  }

  #take(state: ModelState): void {
    this.#state = state;
    this.#problem = undefined;
    this.changed();
  }
}
