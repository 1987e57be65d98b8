/**
 * A WebSocket of a page, as the transport of its session.
 *
 * @module
 */
import { type Bye, type TransportFault, writeHandshake } from "@vitrine/wire";
import type { WebSocket } from "ws";
import type { Caller } from "../../http/api.js";
import type { CarriedSession, PageTransport } from "../registry.js";

/**
 * High-water mark of a socket's buffer, in bytes. Above it, frames wait in their channels, which take turns.
 */
const BUFFER = 262_144;
/** Bytes in a socket's buffer above which reading stops too: its requests would only add to the buffer. */
const STUCK = 1_048_576;

/** The close code after a bye, from the private range. */
const BYE = 4000;

/** A WebSocket of a page. */
export interface PageSocket extends PageTransport {
  /** Stops or continues reading, because the other side of its session is slow. */
  hold(isHeld: boolean): void;
}

/** Connects a socket to its session, and counts it. */
export interface SocketOwner {
  hello(transport: SocketTransport, frame: string): CarriedSession | undefined;
  closed(transport: SocketTransport): void;
}

/** A WebSocket with its heartbeat and its pauses. */
export class SocketTransport implements PageSocket {
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
