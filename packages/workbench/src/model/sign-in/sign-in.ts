/**
 * The sign-in of the user at a server that is inspected.
 *
 * @module
 */
import type { GatewayClient } from "@vitrine/host/gateway";
import type { SignInState } from "@vitrine/wire";
import { messageOf } from "../messages/messages.js";
import { Observable } from "../observable.js";

type Action = "start" | "refresh" | "forget";

/** Its state, kept up to date while somebody looks. */
export class ServerSignIn extends Observable {
  readonly #gateway: GatewayClient;
  readonly #server: string;
  state: SignInState | undefined;
  /** Why the last request failed. */
  problem: string | undefined;
  isBusy = false;
  /** Requests are answered in any order: only the newest answer counts. */
  #asked = 0;

  constructor(gateway: GatewayClient, server: string) {
    super();
    this.#gateway = gateway;
    this.#server = server;
  }

  /** Follows the sign-in; returns a function that stops. */
  watch(): () => void {
    const stop = this.#gateway.on("gateway/sign-in-changed", ({ server }) => {
      if (server === this.#server) void this.load();
    });
    void this.load();
    return stop;
  }

  async load(): Promise<void> {
    const asked = ++this.#asked;
    try {
      const state = await this.#gateway.request("gateway/sign-in", { server: this.#server });
      if (asked === this.#asked) this.state = state;
    } catch (error) {
      this.problem = messageOf(error);
    }
    this.changed();
  }

  /** Asks the gateway to do something. Its failure is shown, and in the steps too. */
  async act(action: Action): Promise<SignInState | undefined> {
    this.isBusy = true;
    this.problem = undefined;
    this.changed();
    let state: SignInState | undefined;
    try {
      state = await this.#gateway.request(`gateway/sign-in-${action}`, { server: this.#server });
    } catch (error) {
      this.problem = messageOf(error);
    }
    this.isBusy = false;
    await this.load();
    return state;
  }
}
