/**
 * The WebSocket transport of browser sessions. The listener authenticates connections before.
 *
 * @module
 */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { GatewayError, MAX_FRAME_BYTES } from "@vitrine/wire";
import { WebSocketServer } from "ws";
import type { Caller } from "../../http/api.js";
import { capacity } from "../../http/capacity.js";
import { failureOf, failureText } from "../../http/http-error.js";
import type { CarriedSession } from "../registry.js";
import { type PageSocket, type SocketOwner, SocketTransport } from "./socket-transport.js";

/** Opens sessions: the registry, or the path to the nodes that have them. */
export interface SessionOpener {
  /** Handles a hello. Returns undefined after a bye. */
  open(frame: string, user: string, transport: PageSocket): CarriedSession | undefined;
}

/** Options of {@link WebSocketTransports}. */
export interface WebSocketTransportsOptions {
  /** Maximum concurrent sockets; by default as many as this process may open, see {@link capacity}. */
  connections?: number | undefined;
  /** Maximum concurrent sockets without a hello; 512 by default. */
  pending?: number | undefined;
  /** The same per user, so that a single user cannot block the others; 64 by default. */
  pendingPerUser?: number | undefined;
  /** Milliseconds between pings, and until the answer; 15,000 by default. */
  heartbeat?: number | undefined;
}

/** Accepts WebSockets, and connects them to their sessions. */
export class WebSocketTransports {
  readonly #sessions: SessionOpener;
  readonly #server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_FRAME_BYTES,
    clientTracking: false,
    // Automatic answers to a flood of pings would accumulate for a client that does not read.
    autoPong: false,
    // Each socket gets one message handled at a time: a page that sends hundreds at once does not delay the messages of others.
    allowSynchronousEvents: false,
  });
  readonly #open = new Set<SocketTransport>();
  readonly #connections: number;
  readonly #pending: number;
  readonly #pendingPerUser: number;
  readonly #sweep: NodeJS.Timeout;
  /** Shared by all sockets, to keep each small. */
  readonly #owner: SocketOwner = {
    hello: (transport, frame) => {
      this.#wait(transport.user, -1);
      return this.#sessions.open(frame, transport.user, transport);
    },
    closed: (transport) => {
      if (!transport.saidHello) this.#wait(transport.user, -1);
      this.#open.delete(transport);
    },
  };
  #waiting = 0;
  readonly #waitingOf = new Map<string, number>();
  #isClosed = false;

  constructor(sessions: SessionOpener, options: WebSocketTransportsOptions = {}) {
    this.#sessions = sessions;
    this.#connections = options.connections ?? capacity().sockets;
    this.#pending = options.pending ?? 512;
    this.#pendingPerUser = options.pendingPerUser ?? 64;
    // A single timer for all sockets.
    this.#sweep = setInterval(() => this.sweep(), options.heartbeat ?? 15_000);
    this.#sweep.unref();
  }

  get size(): number {
    return this.#open.size;
  }

  /** Accepts an upgrade request that was authenticated and whose origin was checked. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, caller: Caller): void {
    const refusal = this.#refusal(caller.user);
    if (refusal) {
      refuseUpgrade(socket, refusal);
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      this.#wait(caller.user, 1);
      this.#open.add(new SocketTransport(webSocket, this.#owner, caller));
    });
  }

  #refusal(user: string): GatewayError | undefined {
    if (this.#isClosed) return new GatewayError("stopping", "the gateway is stopping");
    if (this.#open.size >= this.#connections)
      return busy(`the gateway has ${this.#connections} sockets, and cannot open more`);
    const isPending =
      this.#waiting >= this.#pending || (this.#waitingOf.get(user) ?? 0) >= this.#pendingPerUser;
    return isPending ? busy("too many sockets are open that have not said hello") : undefined;
  }

  /** Counts sockets without a hello. */
  #wait(user: string, change: 1 | -1): void {
    this.#waiting += change;
    const count = (this.#waitingOf.get(user) ?? 0) + change;
    if (count > 0) this.#waitingOf.set(user, count);
    else this.#waitingOf.delete(user);
  }

  /** Ends sockets that are dead or never sent a hello, and pings the others. */
  sweep(): void {
    for (const transport of this.#open) transport.beat();
  }

  /**
   * Ends all sockets, and accepts no more. Close the registry first, so that pages are notified. Pages have
   * `grace` milliseconds to read their bye.
   */
  async close(grace = 1000): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#sweep);
    for (const transport of this.#open)
      transport.bye({ code: "stopping", message: "the gateway is stopping" });
    const deadline = performance.now() + grace;
    while (this.#open.size > 0 && performance.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 10));
    for (const transport of this.#open) transport.terminate();
    this.#server.close();
  }
}

/** Seconds after which a refused page may try again. */
const RETRY_AFTER = 5;

const busy = (what: string): GatewayError =>
  new GatewayError("overloaded", `${what}: try again in ${RETRY_AFTER} s`, {
    data: { retryAfter: RETRY_AFTER * 1000 },
  });

function refuseUpgrade(socket: Duplex, refusal: GatewayError): void {
  const body = failureText(failureOf(refusal));
  // The socket may be closed already.
  socket.on("error", () => socket.destroy());
  socket.end(
    `HTTP/1.1 503 Service Unavailable\r\nRetry-After: ${RETRY_AFTER}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  // Not awaited: the other end may never close.
  socket.once("finish", () => socket.destroy());
}
