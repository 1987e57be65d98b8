/**
 * WebSockets that carry browser sessions. Who may connect is decided before: by the listener's one authentication.
 *
 * @module
 */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type Bye, MAX_FRAME_BYTES, type TransportFault, writeHandshake } from "@vitrine/wire";
import { type WebSocket, WebSocketServer } from "ws";
import type { Caller } from "../../http/api.js";
import type { LiveSession, PageCarrier, SessionRegistry } from "../registry.js";

/** Options of {@link WebSocketCarriers}. */
export interface WebSocketCarriersOptions {
  /** Sockets at a time; 10,000 by default. */
  connections?: number | undefined;
  /** Sockets at a time that have not said hello yet; 512 by default. */
  pending?: number | undefined;
  /** The same of one user, so that nobody takes the places of all; 64 by default. */
  pendingPerUser?: number | undefined;
  /** Milliseconds between two looks at whether the other end is there; 15,000 by default. It has as long to answer. */
  heartbeat?: number | undefined;
}

/** Bytes in a socket's buffer from which on nothing more is given to it; the rest waits in its channels, in turns. */
const BUFFER = 262_144;
/** Bytes in a socket's buffer from which on nothing is read from it either: what it sends only makes it more. */
const STUCK = 1_048_576;

/** Takes WebSockets, and brings them to the registry. */
export class WebSocketCarriers {
  readonly #registry: SessionRegistry;
  readonly #server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_FRAME_BYTES,
    clientTracking: false,
    // An answer to each of a million pings would be kept for whoever does not read.
    autoPong: false,
  });
  readonly #open = new Set<SocketCarrier>();
  readonly #connections: number;
  readonly #pending: number;
  readonly #pendingPerUser: number;
  readonly #sweep: NodeJS.Timeout;
  /** One for all sockets, so that each is small. */
  readonly #owner: SocketOwner = {
    hello: (carrier, frame) => {
      this.#wait(carrier.user, -1);
      return this.#registry.open(frame, carrier.user, carrier);
    },
    closed: (carrier) => {
      if (!carrier.saidHello) this.#wait(carrier.user, -1);
      this.#open.delete(carrier);
    },
  };
  #waiting = 0;
  readonly #waitingOf = new Map<string, number>();
  #isClosed = false;

  constructor(registry: SessionRegistry, options: WebSocketCarriersOptions = {}) {
    this.#registry = registry;
    this.#connections = options.connections ?? 10_000;
    this.#pending = options.pending ?? 512;
    this.#pendingPerUser = options.pendingPerUser ?? 64;
    // One timer for all sockets.
    this.#sweep = setInterval(() => this.sweep(), options.heartbeat ?? 15_000);
    this.#sweep.unref();
  }

  /** How many sockets there are. */
  get size(): number {
    return this.#open.size;
  }

  /** Takes an upgrade request that was authenticated and whose origin was checked. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, caller: Caller): void {
    const isBusy =
      this.#open.size >= this.#connections ||
      this.#waiting >= this.#pending ||
      (this.#waitingOf.get(caller.user) ?? 0) >= this.#pendingPerUser;
    if (this.#isClosed || isBusy) {
      refuseUpgrade(socket);
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      this.#wait(caller.user, 1);
      this.#open.add(new SocketCarrier(webSocket, this.#owner, caller));
    });
  }

  /** One more, or one fewer, that has not said hello. */
  #wait(user: string, change: 1 | -1): void {
    this.#waiting += change;
    const count = (this.#waitingOf.get(user) ?? 0) + change;
    if (count > 0) this.#waitingOf.set(user, count);
    else this.#waitingOf.delete(user);
  }

  /** Ends sockets whose other end is gone or never said hello, and asks the rest whether they are there. */
  sweep(): void {
    for (const carrier of this.#open) carrier.beat();
  }

  /**
   * Ends all sockets, and takes no more. Close the registry first, so that pages are told. Pages have `grace`
   * milliseconds to read their last word.
   */
  async close(grace = 1000): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#sweep);
    for (const carrier of this.#open) carrier.bye({ code: "stopping", message: "the gateway is stopping" });
    const deadline = performance.now() + grace;
    while (this.#open.size > 0 && performance.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 10));
    for (const carrier of this.#open) carrier.terminate();
    this.#server.close();
  }
}

interface SocketOwner {
  hello(carrier: SocketCarrier, frame: string): LiveSession | undefined;
  closed(carrier: SocketCarrier): void;
}

class SocketCarrier implements PageCarrier {
  readonly #socket: WebSocket;
  readonly #owner: SocketOwner;
  readonly #caller: Caller;
  #session: LiveSession | undefined;
  saidHello = false;
  #isAlive = true;
  #isOver = false;
  #isThrottled = false;
  #isUsed = false;
  /** What was in the buffer when it was looked at last. */
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
      // Somebody who only answers pings, and never says hello, does not stay.
      this.#isAlive = this.saidHello && !this.#isOver;
    });
    socket.on("close", () => {
      this.#isOver = true;
      this.#session?.lose(this);
      owner.closed(this);
    });
    // A reset, or a frame that is too large or not UTF-8: `ws` closes it and says so.
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
    // Only a buffer that is filling needs to be watched: a callback for every frame would cost more than the frame.
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
    this.#socket.send(writeHandshake("bye", bye));
    // A page that does not read the last word is not waited for.
    this.#socket.close(BYE, bye.code);
    if (this.#socket.bufferedAmount > STUCK) this.#socket.terminate();
  }

  terminate(): void {
    this.#socket.terminate();
  }

  /** Asks whether the other end is there; called at every heartbeat. */
  beat(): void {
    const { bufferedAmount } = this.#socket;
    // A reader that is slow, but reads, is there; and while nothing is read here no answer can come.
    const isMoving =
      this.saidHello && !this.#isOver && (this.#isThrottled || bufferedAmount !== this.#buffered);
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
      const message = "frames are text, not binary";
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
    // Heartbeats and acknowledgements, which have no number of their own, come from a page that nobody is at, too.
    this.#isUsed ||= /^\d/.test(frame);
    const wait = this.#session?.receive(this, frame) ?? 0;
    if (wait > 0 && !this.#isThrottled) this.#throttle(wait);
  }

  /** Reads nothing for a while: the other end sends too much, too fast. */
  #throttle(wait: number): void {
    this.#isThrottled = true;
    this.#socket.pause();
    setTimeout(() => {
      this.#isThrottled = false;
      this.#sent();
    }, wait).unref();
  }

  /** The buffer is smaller by a frame, or it is time to read again. */
  #sent(): void {
    if (this.#isOver || this.full) return;
    if (this.#socket.isPaused && !this.#isThrottled) this.#socket.resume();
    this.#session?.wire.flush();
  }
}

/** The code that a socket is closed with after a last word: one of those that are free for use. */
const BYE = 4000;

function refuseUpgrade(socket: Duplex): void {
  // It may be gone already; then there is nobody to tell.
  socket.on("error", () => socket.destroy());
  socket.end(
    "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
  );
  // Not waited for: the other end may never close.
  socket.once("finish", () => socket.destroy());
}
