/**
 * The settings file of the gateway: its servers, and changes that wait for the terminal.
 *
 * @module
 */
import type { GatewayClient } from "@vitrine/host/gateway";
import type { PendingServer, SetupRequests, SetupState, StderrLine, WrittenServer } from "@vitrine/wire";
import { messageOf } from "./messages/messages.js";
import { Observable } from "./observable.js";

/** Lines of a log that are kept. */
const MAX_LINES = 500;

/** The part of the gateway's client that this model uses. */
export type SetupGateway = Pick<GatewayClient, "request" | "on">;

/** The settings file, for a user who may change it. */
export class Setup extends Observable {
  readonly #gateway: SetupGateway;
  #isAvailable = false;
  state: SetupState | undefined;
  /** Why the state could not be read. */
  problem: string | undefined;
  /** Names in the file when it was first read. */
  #first: ReadonlySet<string> | undefined;

  constructor(gateway: SetupGateway) {
    super();
    this.#gateway = gateway;
    gateway.on("gateway/setup-changed", () => {
      if (this.#isAvailable) void this.load(true);
    });
  }

  /** Whether the user may change the file. */
  get isAvailable(): boolean {
    return this.#isAvailable;
  }

  get pending(): readonly PendingServer[] {
    return this.state?.pending ?? [];
  }

  server(name: string): WrittenServer | undefined {
    return this.state?.servers.find((each) => each.name === name);
  }

  /** Whether a server was added since the page was opened. */
  isNew(name: string): boolean {
    return this.#first !== undefined && !this.#first.has(name) && this.server(name) !== undefined;
  }

  /** Reads the file, if the user may. */
  async load(isAvailable: boolean): Promise<void> {
    this.#isAvailable = isAvailable;
    try {
      this.state = isAvailable ? await this.#gateway.request("gateway/settings", {}) : undefined;
      this.#first ??= this.state && new Set(this.state.servers.map(({ name }) => name));
      this.problem = undefined;
    } catch (error) {
      this.problem = messageOf(error);
    }
    this.changed();
  }

  /** Sends a change, and reads the file again. */
  async send<M extends keyof SetupRequests>(
    method: M,
    params: SetupRequests[M]["params"],
  ): Promise<SetupRequests[M]["result"]> {
    const result = await this.#gateway.request(method, params as never);
    await this.load(this.#isAvailable);
    return result as SetupRequests[M]["result"];
  }

  /** Asks without changing anything. */
  ask<M extends "gateway/read-servers" | "gateway/import-candidates">(
    method: M,
    params: SetupRequests[M]["params"],
  ): Promise<SetupRequests[M]["result"]> {
    return this.#gateway.request(method, params as never) as Promise<SetupRequests[M]["result"]>;
  }

  /** Follows the log of a server until the returned function is called. */
  follow(server: string, onlines: (lines: readonly StderrLine[]) => void): () => void {
    let lines: StderrLine[] = [];
    let isOver = false;
    const show = (more: readonly StderrLine[]): void => {
      if (isOver) return;
      lines = [...lines, ...more].slice(-MAX_LINES);
      onlines(lines);
    };
    const forget = this.#gateway.on("gateway/stderr", (notice) => {
      if (notice.server === server) show(notice.lines);
    });
    this.#gateway.request("gateway/server-log", { server, follow: true }).then(
      (known) => show(known.lines),
      (error: unknown) => show([{ at: Date.now(), text: messageOf(error), note: true }]),
    );
    return () => {
      isOver = true;
      forget();
      this.#gateway.request("gateway/server-log", { server, follow: false }).catch(() => {});
    };
  }
}
