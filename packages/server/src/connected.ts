/**
 * A server of the official SDK whose tools and views can be exchanged while its client is connected.
 *
 * @module
 */
import type { McpServer } from "@modelcontextprotocol/server";

/** What a registration gives back. */
export interface Removable {
  remove(): void;
}

/** Told once for all that changed at the same time. */
export const DEBOUNCED = ["notifications/tools/list_changed", "notifications/resources/list_changed"];

/** One of them. To be made before the server is connected. */
export class Connected {
  readonly #server: McpServer;
  readonly #isModern: boolean;
  readonly #subscribed = new Set<string>();
  #registered: readonly Removable[] = [];

  constructor(server: McpServer, era: "legacy" | "modern" | undefined) {
    this.#server = server;
    this.#isModern = era === "modern";
    const low = server.server;
    // Which methods there are is settled when a client connects: there may be no tool yet.
    server.registerTool("later", {}, () => ({ content: [] })).remove();
    low.registerCapabilities({ resources: { subscribe: true, listChanged: true } });
    low.setRequestHandler("resources/subscribe", ({ params }) => {
      this.#subscribed.add(params.uri);
      return {};
    });
    low.setRequestHandler("resources/unsubscribe", ({ params }) => {
      this.#subscribed.delete(params.uri);
      return {};
    });
  }

  /** Knows what can be exchanged from now on, until the connection ends. */
  begin(registered: readonly Removable[], ended: () => void): void {
    this.#registered = registered;
    const low = this.#server.server;
    const before = low.onclose;
    low.onclose = () => {
      ended();
      before?.();
    };
  }

  /** Takes back what was registered, and registers something else; the SDK tells the client. */
  exchange(register: (server: McpServer) => readonly Removable[]): void {
    for (const each of this.#registered) each.remove();
    this.#registered = register(this.#server);
  }

  /** Tells of another document, if the client wants to know. In the newer generation the SDK knows who does. */
  updated(uri: string): void {
    if (!this.#isModern && !this.#subscribed.has(uri)) return;
    // A connection that is about to end need not know.
    this.#server.server.sendResourceUpdated({ uri }).catch(() => undefined);
  }
}
