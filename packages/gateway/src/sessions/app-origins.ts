/**
 * The origins of apps: one per server, independent of its name.
 *
 * @module
 */
import type { Sandbox, SandboxedView, ViewRegistration } from "@vitrine/sandbox";
import type { KnownServers, ServerKey } from "../store/known-servers.js";

/**
 * Registers the views of servers with the sandbox. Two servers never share an origin, and therefore no
 * storage.
 */
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
   * A server from before identities existed keeps its origin, which was derived from the name alone, and the
   * data that its apps stored there. Names cannot contain `#`.
   */
  async #nameOf({ name, identity }: ServerKey): Promise<string> {
    await this.#servers.settled();
    return this.#servers.isHeir({ name, identity }) ? name : `${name}#${identity}`;
  }
}
