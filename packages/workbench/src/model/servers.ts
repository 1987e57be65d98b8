/**
 * The servers of the gateway, and their catalogues.
 *
 * @module
 */
import type { GatewayClient } from "@vitrine/host/gateway";
import { type Tool, VitrineError } from "@vitrine/protocol";
import type { ServerCatalogue, ServerSummary } from "@vitrine/wire";
import { isFields, readCatalogue } from "./app/foreign.js";
import { messageOf } from "./messages/messages.js";
import { Observable, quietly } from "./observable.js";

/** A server. */
export interface ShownServer {
  readonly summary: ServerSummary;
  readonly catalogue?: ServerCatalogue | undefined;
  /** Its tools as the server sent them: those of the catalogue are without what is invalid. */
  readonly sentTools?: readonly unknown[] | undefined;
  /** Why its catalogue could not be read. */
  readonly problem?: string | undefined;
}

/** Milliseconds that drawing may be delayed for restarted apps. */
const QUIET = 300;

/** All servers, kept up to date. */
export class Servers extends Observable {
  readonly #gateway: GatewayClient;
  readonly #states = new Map<string, ShownServer>();
  /** Automatic requests so far: each server once when it is idle, and once when it is ready. */
  readonly #asked = new Set<string>();
  /** Hashes of the last readable UIs, by server and tool: one that is being written may be broken. */
  readonly #hashes = new Map<string, Map<string, string>>();
  isKnown = false;
  /** Whether the operator lets programs drive this page. */
  isTestMode = false;
  /** Called with tools whose UI changed, mainly during development. */
  onchangedviews: ((server: string, tools: ReadonlySet<string>) => Promise<void>) | undefined;

  /** Called for a server that was removed from the settings. */
  onremoved: ((server: string) => void) | undefined;

  /** Called with whether the user may change the settings file. */
  onadministers: ((mayAdminister: boolean) => void) | undefined;

  constructor(gateway: GatewayClient) {
    super();
    this.#gateway = gateway;
    gateway.on("gateway/status", (summary) => this.#learn(summary));
    gateway.on("gateway/changed", ({ server }) => void this.#read(server));
  }

  get list(): ShownServer[] {
    return [...this.#states.values()];
  }

  /** Whether every server has answered or failed. */
  get isSettled(): boolean {
    const isAnswered = ({ catalogue, problem, summary }: ShownServer): boolean =>
      (catalogue ?? problem ?? summary.problem) !== undefined;
    return this.isKnown && this.list.every(isAnswered);
  }

  get(name: string): ShownServer | undefined {
    return this.#states.get(name);
  }

  /** The key for stored data of a server: another server with the same name has another key. */
  keyOf(name: string): string {
    return `${name} ${this.get(name)?.summary.identity ?? ""}`.trim();
  }

  /** Notices about servers that took over another one's name, one per line. */
  get notices(): string {
    return this.list.flatMap(({ summary }) => summary.notice ?? []).join("\n");
  }

  /** A server's description of one of its tools. */
  tool(server: string, name: string): Tool | undefined {
    return this.get(server)?.catalogue?.tools.find((tool) => tool.name === name);
  }

  /** Requests all servers: at the start, and after a restart of the gateway. */
  async load(): Promise<void> {
    const {
      servers,
      testMode = false,
      mayAdminister = false,
    } = await this.#gateway.request("gateway/servers", {});
    this.isTestMode = testMode;
    const names = new Set(servers.map(({ name }) => name));
    for (const name of [...this.#states.keys()]) if (!names.has(name)) this.#remove(name);
    this.isKnown = true;
    this.onadministers?.(mayAdminister);
    for (const summary of servers) this.#learn(summary);
    this.changed();
  }

  /** Starts a server that is idle or failed. */
  async start(name: string): Promise<void> {
    this.#learn(await this.#gateway.request("gateway/start", { server: name }));
    await this.#read(name);
  }

  /** Restarts a server. */
  async restart(name: string): Promise<void> {
    this.#learn(await this.#gateway.request("gateway/restart", { server: name }));
    await this.#read(name);
  }

  #learn(summary: ServerSummary): void {
    const { name, identity, state, problem } = summary;
    const known = this.#states.get(name);
    // Another server with the same name has its own tools and UIs.
    const isOther = known !== undefined && known.summary.identity !== identity;
    // The last status of a removed or replaced server.
    if (state === "stopped" && (!known || isOther)) return;
    if (isOther) this.#forget(name);
    const before = isOther ? undefined : known;
    this.#states.set(name, { ...before, summary });
    this.changed();
    if (before?.catalogue || problem || !/^(idle|ready)$/.test(state)) return;
    // Requesting the catalogue starts an unused server. A failing server must not be restarted forever: the
    // user retries it.
    const question = `${state} ${name}`;
    if (this.#asked.has(question)) return;
    this.#asked.add(question);
    void this.#read(name);
  }

  async #read(server: string): Promise<void> {
    let read: Pick<ShownServer, "catalogue" | "sentTools" | "problem">;
    try {
      const sent = await this.#gateway.request("gateway/catalogue", { server });
      read = { catalogue: readCatalogue(sent), sentTools: sent.tools, problem: undefined };
    } catch (error) {
      if (isUnknownServer(error)) {
        this.#remove(server);
        return;
      }
      read = { problem: messageOf(error) };
    }
    const state = this.#states.get(server);
    if (!state) return;
    this.#states.set(server, { ...state, ...read });
    const changed = this.#changedViews(server, read.catalogue);
    const renewed = changed.size > 0 && this.onchangedviews?.(server, changed);
    if (renewed) void quietly(renewed, QUIET);
    this.changed();
  }

  /** The server was removed from the settings: removes all its state. */
  #remove(server: string): void {
    if (!this.#states.delete(server)) return;
    this.onremoved?.(server);
    this.#forget(server);
    this.changed();
  }

  /** Drops the state of a server whose name was taken by another. */
  #forget(server: string): void {
    this.#hashes.delete(server);
    for (const state of ["idle", "ready"]) this.#asked.delete(`${state} ${server}`);
  }

  /** The tools whose UI differs from the last readable one. */
  #changedViews(server: string, catalogue: ServerCatalogue | undefined): Set<string> {
    const hashes = this.#hashes.get(server) ?? new Map<string, string>();
    this.#hashes.set(server, hashes);
    const changed = new Set<string>();
    for (const { tool, hash } of catalogue?.views ?? []) {
      if (hash === undefined) continue;
      if ((hashes.get(tool) ?? hash) !== hash) changed.add(tool);
      hashes.set(tool, hash);
    }
    return changed;
  }
}

const isUnknownServer = (error: unknown): boolean => {
  const data = error instanceof VitrineError ? error.data : undefined;
  return isFields(data) && data["code"] === "server-unknown";
};
