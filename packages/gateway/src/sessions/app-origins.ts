/**
 * The origins of apps: one for each server, whatever it is called.
 *
 * @module
 */
import type { Sandbox, SandboxedView, ViewRegistration } from "@vitrine/sandbox";
import type { KnownServers, ServerKey } from "../store/store.js";

/** Registers the views of servers with the sandbox. Two servers never share an origin, and hence no storage. */
export class AppOrigins {
  readonly #sandbox: Pick<Sandbox, "register" | "has">;
  readonly #servers: Pick<KnownServers, "isHeir" | "settled">;

  constructor(sandbox: Pick<Sandbox, "register" | "has">, servers: Pick<KnownServers, "isHeir" | "settled">) {
    this.#sandbox = sandbox;
    this.#servers = servers;
  }

  async register(server: ServerKey, view: Omit<ViewRegistration, "server">): Promise<SandboxedView> {
    return this.#sandbox.register({ ...view, server: await this.#nameOf(server) });
  }

  has(place: Pick<SandboxedView, "src">): Promise<boolean> {
    return this.#sandbox.has(place);
  }

  /**
   * A server from before there were identities keeps its origin, and what its apps have stored there: that was made of the name
   * alone. No name has a `#` in it.
   */
  async #nameOf({ name, identity }: ServerKey): Promise<string> {
    await this.#servers.settled();
    return this.#servers.isHeir({ name, identity }) ? name : `${name}#${identity}`;
  }
}
