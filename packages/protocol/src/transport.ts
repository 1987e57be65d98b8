/**
 * What carries messages between two peers.
 *
 * @module
 */

/**
 * A channel to one other end. Implement it to carry MCP Apps over anything: the peer does the rest.
 *
 * Messages are JSON-RPC objects. A transport that carries text parses it, and delivers what does not parse as
 * the string it is: the peer then answers with a parse error.
 *
 * @example
 * ```ts source="./protocol.examples.ts#transport"
 * ```
 */
export interface Transport {
  /**
   * Begins delivery, in order. Called once. `closed` must be called when the other end is known to be gone;
   * not for a `close()` from this end.
   */
  start(receive: (message: unknown) => void, closed: () => void): void;
  /** Sends one message. May throw when it cannot be carried (not cloneable, for example). */
  send(message: unknown): void;
  /** Ends delivery and releases everything. May be called twice. */
  close(): void;
}

/**
 * Two transports joined in memory, for tests and for peers in one program. Messages are cloned as a browser
 * would, and delivered in order, never synchronously.
 *
 * @example
 * ```ts source="./protocol.examples.ts#memoryPair"
 * ```
 */
export function memoryPair(): [Transport, Transport] {
  const ends = [new MemoryTransport(), new MemoryTransport()] as const;
  ends[0].other = ends[1];
  ends[1].other = ends[0];
  return [...ends];
}

class MemoryTransport implements Transport {
  other: MemoryTransport | undefined;
  #receive: ((message: unknown) => void) | undefined;
  #closed: (() => void) | undefined;
  /** What arrived before `start`. */
  #early: unknown[] = [];

  start(receive: (message: unknown) => void, closed: () => void): void {
    this.#receive = receive;
    this.#closed = closed;
    for (const message of this.#early.splice(0)) receive(message);
  }

  send(message: unknown): void {
    const copy = structuredClone(message);
    const { other } = this;
    if (other) queueMicrotask(() => other.#deliver(copy));
  }

  close(): void {
    const { other } = this;
    this.other = undefined;
    this.#receive = undefined;
    if (!other) return;
    other.other = undefined;
    queueMicrotask(() => other.#gone());
  }

  #gone(): void {
    this.#closed?.();
  }

  #deliver(message: unknown): void {
    if (this.#receive) this.#receive(message);
    else if (this.other) this.#early.push(message);
  }
}

/**
 * A transport over a `MessagePort`: the fastest way between two windows, and the way to a worker.
 *
 * @example
 * ```ts source="./protocol.examples.ts#portTransport"
 * ```
 */
export class PortTransport implements Transport {
  readonly #port: MessagePort;
  #closed: (() => void) | undefined;

  constructor(port: MessagePort) {
    this.#port = port;
  }

  start(receive: (message: unknown) => void, closed: () => void): void {
    this.#closed = closed;
    this.#port.onmessage = (event) => receive(event.data);
    // Browsers are beginning to tell when the other port is gone; Node always did.
    this.#port.addEventListener("close", () => this.#closed?.());
  }

  send(message: unknown): void {
    this.#port.postMessage(message);
  }

  close(): void {
    this.#closed = undefined;
    this.#port.onmessage = null;
    this.#port.close();
  }
}

/**
 * Lets the other end write its messages as JSON text instead of objects, and answers in the same form (T03).
 *
 * @example
 * ```ts source="./protocol.examples.ts#acceptText"
 * ```
 */
export function acceptText(transport: Transport): Transport {
  let text = false;
  const parse = (message: unknown): unknown => {
    if (typeof message !== "string") return message;
    try {
      const parsed: unknown = JSON.parse(message);
      text = true;
      return parsed;
    } catch {
      return message;
    }
  };
  return {
    start: (receive, closed) => transport.start((message) => receive(parse(message)), closed),
    send: (message) => transport.send(text ? JSON.stringify(message) : message),
    close: () => transport.close(),
  };
}
