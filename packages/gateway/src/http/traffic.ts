/**
 * Connections and requests that are under way.
 *
 * @module
 */
import { once } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Route } from "./route.js";

/** What is under way, so that it can be waited for or ended. */
export class Traffic {
  isStopping = false;
  readonly #server: Server;
  readonly #requests = new Set<ServerResponse>();
  readonly #endless = new Map<ServerResponse | Duplex, string | undefined>();
  readonly #sockets = new Set<Socket>();
  /** Answers that wait for the one before them on their connection. */
  readonly #queued = new Map<Socket, Set<ServerResponse>>();
  #stopped: Promise<void> | undefined;
  #whenQuiet = (): void => {};

  constructor(server: Server) {
    this.#server = server;
    server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => {
        this.#sockets.delete(socket);
        this.#endQueued(socket);
      });
    });
  }

  /** Hears of every request, before anything else does. */
  came({ socket }: IncomingMessage, outgoing: ServerResponse): void {
    // It has its connection already.
    if (outgoing.socket) return;
    const queued = this.#queued.get(socket) ?? new Set();
    this.#queued.set(socket, queued.add(outgoing));
    outgoing.once("close", () => queued.delete(outgoing));
  }

  /** Of those who wait for their turn Node tells nobody that the connection is gone: they would wait for ever. */
  #endQueued(socket: Socket): void {
    for (const outgoing of this.#queued.get(socket) ?? []) {
      if (outgoing.socket) continue;
      outgoing.destroy();
      outgoing.emit("close");
    }
    this.#queued.delete(socket);
  }

  began(route: Route, outgoing: ServerResponse, browser: string | undefined): void {
    if (route.endless) {
      this.opened(outgoing, browser);
      return;
    }
    this.#requests.add(outgoing);
    outgoing.once("close", () => {
      this.#requests.delete(outgoing);
      if (this.#requests.size === 0) this.#whenQuiet();
    });
  }

  opened(connection: ServerResponse | Duplex, browser: string | undefined): void {
    this.#endless.set(connection, browser);
    // A stream may have something to say that was ended here a moment ago: that is dropped, and no reason to fail.
    connection.on("error", () => {});
    connection.once("close", () => this.#endless.delete(connection));
  }

  endBrowser(browser: string): void {
    for (const [connection, owner] of this.#endless) if (owner === browser) connection.destroy();
  }

  stop(grace: number): Promise<void> {
    return (this.#stopped ??= this.#stop(grace));
  }

  async #stop(grace: number): Promise<void> {
    this.isStopping = true;
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeIdleConnections();
    const timer = new Promise<void>((resolve) => setTimeout(resolve, grace).unref());
    const quiet = new Promise<void>((resolve) => {
      this.#whenQuiet = resolve;
    });
    if (this.#requests.size > 0) await Promise.race([quiet, timer]);
    for (const connection of this.#endless.keys()) connection.end();
    this.#server.closeIdleConnections();
    // Those that were only just answered, or do not go by themselves.
    await Promise.race([closed, this.#allGone(), new Promise((resolve) => setTimeout(resolve, 200))]);
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #allGone(): Promise<void> {
    // Not by `once` of Node, which would fail with what the other end does meanwhile.
    const gone = (socket: Socket): Promise<void> =>
      new Promise((resolve) => socket.once("close", () => resolve()));
    await Promise.all(Array.from(this.#sockets, gone));
  }
}
