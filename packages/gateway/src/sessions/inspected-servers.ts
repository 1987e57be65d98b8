/**
 * What a page follows at the servers that its user inspects.
 *
 * @module
 */
import type { Server } from "@vitrine/servers";
import type { GatewayNotices } from "@vitrine/wire";
import type { GuardedServer } from "../guard/guarded-servers.js";
import { BoundedSubscriptions } from "./bounded-subscriptions.js";
import { SmallMap } from "./small-map.js";

/** Options of {@link InspectedServers}. */
export interface InspectedServersOptions {
  /** @throws {GatewayError} `server-unknown`, `server-replaced` */
  server(name: string, identity?: string): GuardedServer;
  /** Sends a notification. While the page is slow, only the latest one of each `kind` is kept for later. */
  notify<M extends keyof GatewayNotices>(kind: string, method: M, params: GatewayNotices[M]): void;
  /** Called with errors that the page does not see. */
  onerror(error: unknown): void;
}

/** A server that a page follows. */
interface Followed {
  readonly server: Server;
  readonly subscriptions: BoundedSubscriptions;
  stop(): void;
}

/** The subscriptions of a page itself, beside those of its views. */
export class InspectedServers {
  readonly #options: InspectedServersOptions;
  readonly #followed = new SmallMap<string, Followed>();

  constructor(options: InspectedServersOptions) {
    this.#options = options;
  }

  async subscribe(server: Server, uri: string, signal?: AbortSignal): Promise<void> {
    await this.#follow(server).subscriptions.add(uri, signal);
  }

  async unsubscribe(server: Server, uri: string): Promise<void> {
    await this.#followed.get(server.settings.name)?.subscriptions.remove(uri);
  }

  /** Subscribes again at a server with new settings, or one that is back. Another server gets nothing. */
  moved(name: string): void {
    const before = this.#followed.get(name);
    if (!before) return;
    this.removed(name);
    const { server } = this.#options.server(name);
    if (server.settings.identity !== before.server.settings.identity) return;
    for (const uri of before.subscriptions.uris) this.#subscribeAgain(server, uri);
  }

  removed(name: string): void {
    this.#followed.get(name)?.stop();
    this.#followed.delete(name);
  }

  clear(): void {
    for (const name of [...this.#followed.keys()]) this.removed(name);
  }

  #subscribeAgain(server: Server, uri: string): void {
    const { notify, onerror } = this.#options;
    const { name } = server.settings;
    this.subscribe(server, uri).then(
      // It may have changed meanwhile.
      () => notify(`updated ${name} ${uri}`, "gateway/updated", { server: name, uri }),
      onerror,
    );
  }

  #follow(server: Server): Followed {
    const { name } = server.settings;
    const known = this.#followed.get(name);
    if (known?.server === server) return known;
    known?.stop();
    const subscriptions = new BoundedSubscriptions(server.upstream);
    const unlisten = server.upstream.listen((method, { uri }) => {
      if (method !== "notifications/resources/updated" || !subscriptions.isSubscribedTo(uri)) return;
      this.#options.notify(`updated ${name} ${uri}`, "gateway/updated", { server: name, uri: String(uri) });
    });
    const followed: Followed = {
      server,
      subscriptions,
      stop: () => {
        unlisten();
        subscriptions.clear();
      },
    };
    this.#followed.set(name, followed);
    return followed;
  }
}
