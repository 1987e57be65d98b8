/**
 * The WebSocket transport of browser sessions. The listener authenticates connections before.
 *
 * @module
 */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type Bye, GatewayError, MAX_FRAME_BYTES, type TransportFault, writeHandshake } from "@vitrine/wire";
import { type WebSocket, WebSocketServer } from "ws";
import type { Caller } from "../../http/api.js";
import { capacity } from "../../http/capacity.js";
import { failureOf, failureText } from "../../http/http-error.js";
import type { CarriedSession, PageTransport } from "../registry.js";

/** A WebSocket of a page. */
export interface PageSocket extends PageTransport {
  /** Stops or continues reading, because the other side of its session is slow. */
  hold(isHeld: boolean): void;
}

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

/**
 * High-water mark of a socket's buffer, in bytes. Above it, frames wait in their channels, which take turns.
 */
const BUFFER = 262_144;
/** Bytes in a socket's buffer above which reading stops too: its requests would only add to the buffer. */
const STUCK = 1_048_576;

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

interface SocketOwner {
  hello(transport: SocketTransport, frame: string): CarriedSession | undefined;
  closed(transport: SocketTransport): void;
}

class SocketTransport implements PageSocket {
  readonly #socket: WebSocket;
  readonly #owner: SocketOwner;
  readonly #caller: Caller;
  #session: CarriedSession | undefined;
  saidHello = false;
  #isAlive = true;
  #isOver = false;
  #isThrottled = false;
  #isHeld = false;
  #isUsed = false;
  /** The size of the buffer at the last check. */
  #buffered = 0;

  constructor(socket: WebSocket, owner: SocketOwner, caller: Caller) {
    this.#socket = socket;
    this.#owner = owner;
    this.#caller = caller;
    socket.on("message", (data: Buffer, isBinary: boolean) => this.#receive(data, isBinary));
    socket.on("ping", (data: Buffer) => {
      if (!this.#isOver && !this.full) socket.pong(data, false, () => this.#sent());
    });
    socket.on("pong", () => {
      // A client that only answers pings, and never sends a hello, is disconnected.
      this.#isAlive = this.saidHello && !this.#isOver;
    });
    socket.on("close", () => {
      this.#isOver = true;
      this.#session?.lose(this);
      owner.closed(this);
    });
    // A reset, or a frame that is too large or not UTF-8: `ws` closes the socket and emits `close`.
    socket.on("error", () => {});
  }

  get user(): string {
    return this.#caller.user;
  }

  get full(): boolean {
    return this.#socket.bufferedAmount > BUFFER;
  }

  send(frame: string): void {
    if (this.#isOver) return;
    const { bufferedAmount } = this.#socket;
    // Only a filling buffer needs a callback: one per frame would cost more than the frame.
    const isFilling = bufferedAmount + 3 * frame.length > BUFFER;
    this.#socket.send(frame, isFilling ? () => this.#sent() : undefined);
    if (bufferedAmount > STUCK) this.#socket.pause();
  }

  end(fault: TransportFault, message: string): void {
    this.#session?.fault(this, fault, message);
  }

  bye(bye: Bye): void {
    if (this.#isOver) return;
    this.#isOver = true;
    // The answer to the close must be read.
    if (this.#isHeld) this.#socket.resume();
    this.#socket.send(writeHandshake("bye", bye));
    // Does not wait for a page that does not read the bye.
    this.#socket.close(BYE, bye.code);
    if (this.#socket.bufferedAmount > STUCK) this.#socket.terminate();
  }

  hold(isHeld: boolean): void {
    if (this.#isHeld === isHeld) return;
    this.#isHeld = isHeld;
    if (isHeld) this.#socket.pause();
    else this.#sent();
  }

  terminate(): void {
    this.#socket.terminate();
  }

  /** Pings the other end; called at every heartbeat. */
  beat(): void {
    const { bufferedAmount } = this.#socket;
    // A slow reader is alive; and while reading is paused, no answer can arrive.
    const isMoving =
      this.saidHello &&
      !this.#isOver &&
      (this.#isThrottled || this.#isHeld || bufferedAmount !== this.#buffered);
    this.#buffered = bufferedAmount;
    if (!this.#isAlive && !isMoving) {
      this.terminate();
      return;
    }
    this.#isAlive = false;
    if (this.#isOver) return;
    this.#socket.ping();
    this.#caller.meet?.(this.#isUsed);
    this.#isUsed = false;
  }

  #receive(data: Buffer, isBinary: boolean): void {
    if (this.#isOver) return;
    if (isBinary) {
      const message = "frames must be text, not binary";
      if (this.#session) this.#session.fault(this, "malformed", message);
      else this.bye({ code: "malformed", message });
      return;
    }
    this.#isAlive = true;
    const frame = data.toString();
    if (!this.saidHello) {
      this.saidHello = true;
      this.#session = this.#owner.hello(this, frame);
      return;
    }
    // Heartbeats and acknowledgements, which have no number, do not count as use.
    this.#isUsed ||= /^\d/.test(frame);
    const wait = this.#session?.receive(this, frame) ?? 0;
    if (wait > 0 && !this.#isThrottled) this.#throttle(wait);
  }

  /** Pauses reading, because the other end sends too fast. */
  #throttle(wait: number): void {
    this.#isThrottled = true;
    this.#socket.pause();
    setTimeout(() => {
      this.#isThrottled = false;
      this.#sent();
    }, wait).unref();
  }

  /** The buffer has shrunk, or the pause is over. */
  #sent(): void {
    if (this.#isOver || this.full) return;
    if (this.#socket.isPaused && !this.#isThrottled && !this.#isHeld) this.#socket.resume();
    this.#session?.flush();
  }
}

/** The close code after a bye, from the private range. */
const BYE = 4000;

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
