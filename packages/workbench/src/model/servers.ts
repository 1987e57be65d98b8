/**
 * The servers of the gateway, and what they offer.
 *
 * @module
 */
import type { Gateway } from "@vitrine/host/gateway";
import { type Tool, VitrineError } from "@vitrine/protocol";
import type { ServerCatalogue, ServerSummary } from "@vitrine/wire";
import { isFields, readCatalogue } from "./app/foreign.js";
import { messageOf } from "./messages/messages.js";
import { Observable, quietly } from "./observable.js";

/** One server. */
export interface ServerState {
  readonly summary: ServerSummary;
  readonly catalogue?: ServerCatalogue | undefined;
  /** Why its catalogue could not be read. */
  readonly problem?: string | undefined;
}

/** Milliseconds that the page may be drawn later, for apps that are renewed. */
const QUIET = 300;

/** All servers, kept up to date. */
export class Servers extends Observable {
  readonly #gateway: Gateway;
  readonly #states = new Map<string, ServerState>();
  /** What was asked for without a person's doing: each server once when it is idle, and once when it is ready. */
  readonly #asked = new Set<string>();
  /** The UIs of tools, by server and tool, as they could be read last: one that is just being written may be broken. */
  readonly #hashes = new Map<string, Map<string, string>>();
  isKnown = false;
  /** The operator lets programs drive this page. */
  isTestMode = false;
  /** Hears of tools whose UI is not what it was: while somebody writes it, above all. */
  onchangedviews: ((server: string, tools: ReadonlySet<string>) => Promise<void>) | undefined;

  /** Hears of a server that is no longer in the settings. */
  onremoved: ((server: string) => void) | undefined;

  constructor(gateway: Gateway) {
    super();
    this.#gateway = gateway;
    gateway.on("gateway/status", (summary) => this.#learn(summary));
    gateway.on("gateway/changed", ({ server }) => void this.#read(server));
  }

  get list(): ServerState[] {
    return [...this.#states.values()];
  }

  /** Every server has said what it offers, or why it does not. */
  get isSettled(): boolean {
    const isAnswered = ({ catalogue, problem, summary }: ServerState): boolean =>
      (catalogue ?? problem ?? summary.problem) !== undefined;
    return this.isKnown && this.list.every(isAnswered);
  }

  get(name: string): ServerState | undefined {
    return this.#states.get(name);
  }

  /** What the page keeps of a server is kept under this: another server of the same name has another one. */
  keyOf(name: string): string {
    return `${name} ${this.get(name)?.summary.identity ?? ""}`.trim();
  }

  /** What the person should know of servers that took over the name of another one: a line each. */
  get notices(): string {
    return this.list.flatMap(({ summary }) => summary.notice ?? []).join("\n");
  }

  /** What a server says of one of its tools. */
  tool(server: string, name: string): Tool | undefined {
    return this.get(server)?.catalogue?.tools.find((tool) => tool.name === name);
  }

  /** Asks for all of them: at the start, and when the gateway was restarted. */
  async load(): Promise<void> {
    const { servers, testMode = false } = await this.#gateway.request("gateway/servers", {});
    this.isTestMode = testMode;
    const names = new Set(servers.map(({ name }) => name));
    for (const name of [...this.#states.keys()]) if (!names.has(name)) this.#remove(name);
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
    const { name, identity, state, problem } = summary;
    const known = this.#states.get(name);
    // Another server of the name has its own tools and UIs (attack E01).
    const isOther = known !== undefined && known.summary.identity !== identity;
    // The last word of a server that was removed from the settings, or whose name another one has.
    if (state === "stopped" && (!known || isOther)) return;
    if (isOther) this.#forget(name);
    const before = isOther ? undefined : known;
    this.#states.set(name, { ...before, summary });
    this.changed();
    if (before?.catalogue || problem || !/^(idle|ready)$/.test(state)) return;
    // A server that nobody has used yet is started by being asked what it offers. One that fails at that would be started
    // for ever: it is the person who tries again.
    const question = `${state} ${name}`;
    if (this.#asked.has(question)) return;
    this.#asked.add(question);
    void this.#read(name);
  }

  async #read(server: string): Promise<void> {
    let read: Pick<ServerState, "catalogue" | "problem">;
    try {
      read = {
        catalogue: readCatalogue(await this.#gateway.request("gateway/catalogue", { server })),
        problem: undefined,
      };
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

  /** The server is no longer in the settings: nothing of it stays in the page. */
  #remove(server: string): void {
    if (!this.#states.delete(server)) return;
    this.onremoved?.(server);
    this.#forget(server);
    this.changed();
  }

  /** What was read of a server, and that it was asked, is of no use for the next one of its name. */
  #forget(server: string): void {
    this.#hashes.delete(server);
    for (const state of ["idle", "ready"]) this.#asked.delete(`${state} ${server}`);
  }

  /** The tools whose UI is another one than the last that could be read. */
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
