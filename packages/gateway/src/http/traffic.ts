/**
 * Tracks open connections and pending requests.
 *
 * @module
 */
import { once } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Server as SecureServer } from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Route } from "./route.js";

/** Tracks connections and requests, so that they can be awaited or ended. */
export class HttpTraffic {
  isStopping = false;
  readonly #server: Server | SecureServer;
  readonly #requests = new Set<ServerResponse>();
  readonly #endless = new Map<ServerResponse | Duplex, string | undefined>();
  readonly #sockets = new Set<Socket>();
  /** Answers that wait for the previous one on their connection. */
  readonly #queued = new Map<Socket, Set<ServerResponse>>();
  #stopped: Promise<void> | undefined;
  #whenQuiet = (): void => {};

  constructor(server: Server | SecureServer) {
    this.#server = server;
    server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => {
        this.#sockets.delete(socket);
        this.#endQueued(socket);
      });
    });
  }

  /** Called for every request, before anything else. */
  came({ socket }: IncomingMessage, outgoing: ServerResponse): void {
    // The response has its connection already.
    if (outgoing.socket) return;
    const queued = this.#queued.get(socket) ?? new Set();
    this.#queued.set(socket, queued.add(outgoing));
    outgoing.once("close", () => queued.delete(outgoing));
  }

  /** Node does not notify queued answers when their connection closes: they would wait forever. */
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
    // The caller left while it was authenticated: there is no event any more.
    if (outgoing.destroyed) return;
    this.#requests.add(outgoing);
    outgoing.once("close", () => {
      this.#requests.delete(outgoing);
      if (this.#requests.size === 0) this.#whenQuiet();
    });
  }

  opened(connection: ServerResponse | Duplex, browser: string | undefined): void {
    if (connection.destroyed) return;
    this.#endless.set(connection, browser);
    // A stream that was just ended may still write: that is dropped, and not an error.
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
    // Connections that were only just answered, or do not close by themselves.
    await Promise.race([closed, this.#allGone(), new Promise((resolve) => setTimeout(resolve, 200))]);
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #allGone(): Promise<void> {
    // Not with Node's `once`, which would reject on errors of the other end.
    const gone = (socket: Socket): Promise<void> =>
      new Promise((resolve) => socket.once("close", () => resolve()));
    await Promise.all(Array.from(this.#sockets, gone));
  }
}
