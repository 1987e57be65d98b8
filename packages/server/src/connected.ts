/**
 * A server of the official SDK that notifies its client: of resources that change, and of tools and views that
 * are replaced during development.
 *
 * @module
 */
import { type McpServer, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";

/** A registration that can be undone. */
export interface Removable {
  remove(): void;
}

/** Sent once for several changes in the same tick. */
export const DEBOUNCED = ["notifications/tools/list_changed", "notifications/resources/list_changed"];

/** Options of {@link Connected}. */
interface ConnectedOptions {
  /** Whether tools and views may be replaced. */
  readonly reloads: boolean | undefined;
  /** Addresses of the resources that the client may subscribe to; all by default. */
  readonly subscribable: readonly string[] | undefined;
  readonly era: "legacy" | "modern" | undefined;
}

/** Wraps one server. Create it before the server connects. */
export class Connected {
  readonly #server: McpServer;
  readonly #isModern: boolean;
  readonly #subscribed = new Set<string>();
  #registered: readonly Removable[] = [];

  constructor(server: McpServer, { reloads, subscribable, era }: ConnectedOptions) {
    this.#server = server;
    this.#isModern = era === "modern";
    const low = server.server;
    low.registerCapabilities({ resources: { subscribe: true } });
    if (reloads) {
      // Capabilities are fixed when a client connects, even if there is no tool yet.
      server.registerTool("later", {}, () => ({ content: [] })).remove();
      low.registerCapabilities({ resources: { listChanged: true } });
    }
    low.setRequestHandler("resources/subscribe", ({ params: { uri } }) => {
      const isView = reloads && uri.startsWith("ui://");
      if (subscribable && !isView && !subscribable.includes(uri))
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          `cannot subscribe to ${uri}: only ${subscribable.join(", ")} can change`,
        );
      this.#subscribed.add(uri);
      return {};
    });
    low.setRequestHandler("resources/unsubscribe", ({ params }) => {
      this.#subscribed.delete(params.uri);
      return {};
    });
  }

  /** Remembers the current registrations, until the connection ends. */
  begin(registered: readonly Removable[], ended: () => void): void {
    this.#registered = registered;
    const low = this.#server.server;
    const before = low.onclose;
    low.onclose = () => {
      ended();
      before?.();
    };
  }

  /** Removes the current registrations and adds new ones. The SDK notifies the client. */
  exchange(register: (server: McpServer) => readonly Removable[]): void {
    for (const each of this.#registered) each.remove();
    this.#registered = register(this.#server);
  }

  /**
   * Notifies a subscribed client of a changed resource. In newer protocol versions, the SDK tracks
   * subscriptions.
   */
  updated(uri: string): void {
    if (!this.#isModern && !this.#subscribed.has(uri)) return;
    // Fails only if the connection is closing.
    this.#server.server.sendResourceUpdated({ uri }).catch(() => undefined);
  }
}
