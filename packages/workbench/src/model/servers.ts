/**
 * The servers of the gateway, and what they offer.
 *
 * @module
 */
import type { Gateway } from "@vitrine/host/gateway";
import type { ServerCatalogue, ServerSummary } from "@vitrine/protocol";
import { messageOf } from "./messages.js";
import { Observable } from "./observable.js";

/** One server. */
export interface ServerState {
  readonly summary: ServerSummary;
  readonly catalogue?: ServerCatalogue | undefined;
  /** Why its catalogue could not be read. */
  readonly problem?: string | undefined;
}

/** All servers, kept up to date. */
export class Servers extends Observable {
  readonly #gateway: Gateway;
  readonly #states = new Map<string, ServerState>();
  isKnown = false;
  /** Hears of tools whose UI is not what it was: while somebody writes it, above all. */
  onchangedviews: ((server: string, tools: ReadonlySet<string>) => void) | undefined;

  constructor(gateway: Gateway) {
    super();
    this.#gateway = gateway;
    gateway.on("gateway/status", (summary) => this.#learn(summary));
    gateway.on("gateway/changed", ({ server }) => void this.#read(server));
  }

  get list(): ServerState[] {
    return [...this.#states.values()];
  }

  get(name: string): ServerState | undefined {
    return this.#states.get(name);
  }

  /** Asks for all of them: at the start, and when the gateway was restarted. */
  async load(): Promise<void> {
    const { servers } = await this.#gateway.request("gateway/servers", {});
    const names = new Set(servers.map(({ name }) => name));
    for (const name of this.#states.keys()) if (!names.has(name)) this.#states.delete(name);
    this.isKnown = true;
    for (const summary of servers) this.#learn(summary);
    this.changed();
  }

  /** Starts a server that waits or failed. */
  async start(name: string): Promise<void> {
    this.#learn(await this.#gateway.request("gateway/start", { server: name }));
    await this.#read(name);
  }

  /** Ends a server, and starts it again. */
  async restart(name: string): Promise<void> {
    this.#learn(await this.#gateway.request("gateway/restart", { server: name }));
    await this.#read(name);
  }

  #learn(summary: ServerSummary): void {
    const before = this.#states.get(summary.name);
    this.#states.set(summary.name, { ...before, summary });
    this.changed();
    // A server that nobody has used yet is started by being asked what it offers.
    if (!before?.catalogue && /^(idle|ready)$/.test(summary.state) && before?.summary.state !== summary.state)
      void this.#read(summary.name);
  }

  async #read(server: string): Promise<void> {
    let read: Pick<ServerState, "catalogue" | "problem">;
    try {
      read = {
        catalogue: await this.#gateway.request("gateway/catalogue", { server }),
        problem: undefined,
      };
    } catch (error) {
      read = { problem: messageOf(error) };
    }
    const state = this.#states.get(server);
    if (!state) return;
    this.#states.set(server, { ...state, ...read });
    this.changed();
    const changed = changedViews(state.catalogue, read.catalogue);
    if (changed.size > 0) this.onchangedviews?.(server, changed);
  }
}

/** The tools that have a UI before and after, and another one after. */
function changedViews(before: ServerCatalogue | undefined, after: ServerCatalogue | undefined): Set<string> {
  const hashes = new Map(before?.views.map(({ tool, hash }) => [tool, hash]));
  const changed = after?.views.filter(({ tool, hash }) => hash && (hashes.get(tool) ?? hash) !== hash);
  return new Set(changed?.map(({ tool }) => tool));
}
