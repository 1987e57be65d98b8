/**
 * Transports between two peers.
 *
 * @module
 */

import { isObject } from "./schema.js";

/**
 * A connection to one other side. Implement it to run MCP Apps over any medium; the peer does the rest.
 *
 * Messages are JSON-RPC objects. A transport for text parses it, and delivers unparsable text as a string:
 * the peer then answers with a parse error.
 *
 * @example
 * ```ts source="./protocol.examples.ts#transport"
 * const parse = (text: string): unknown => {
 *   try {
 *     return JSON.parse(text);
 *   } catch {
 *     return text; // The peer answers with a parse error.
 *   }
 * };
 * const transport: Transport = {
 *   start(receive, closed) {
 *     socket.onmessage = ({ data }) => receive(parse(data));
 *     socket.onclose = closed;
 *   },
 *   send: (message) => socket.send(JSON.stringify(message)),
 *   close() {
 *     socket.onmessage = socket.onclose = null;
 *     socket.close();
 *   },
 * };
 * ```
 */
export interface Transport {
  /**
   * Starts delivery, in order. Called once. The transport must call `closed` when it learns that the other
   * side is gone, but not after a `close()` from this side.
   */
  start(receive: (message: unknown) => void, closed: () => void): void;
  /**
   * Sends one message. May throw if the message cannot be sent (not cloneable, for example). Must not deliver
   * anything synchronously: an answer inside `send` would find no pending request.
   */
  send(message: unknown): void;
  /** Ends delivery and releases all resources. May be called twice. */
  close(): void;
}

/**
 * Creates two transports connected in memory, for tests and for peers in one program. Messages are cloned
 * like in a browser and delivered in order, never synchronously.
 *
 * @example
 * ```ts source="./protocol.examples.ts#memoryPair"
 * const [viewEnd, hostEnd] = memoryPair();
 * const host = new Peer<"host">().open(hostEnd);
 * host.handle("ui/open-link", ({ url }) => ({ isError: !URL.canParse(url) }));
 * const view = new Peer<"view">().open(viewEnd);
 * const { isError } = await view.request("ui/open-link", { url: "https://example.com" });
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
  /** Received messages that are not delivered yet, mainly those from before `start`. */
  readonly #inbox: (() => void)[] = [];

  start(receive: (message: unknown) => void, closed: () => void): void {
    this.#receive = receive;
    this.#closed = closed;
    for (const _early of this.#inbox) queueMicrotask(() => this.#deliver());
  }

  send(message: unknown): void {
    const copy = structuredClone(message);
    const { other } = this;
    if (other) other.#arrive(() => other.#receive?.(copy));
  }

  close(): void {
    const { other } = this;
    this.other = undefined;
    this.#receive = undefined;
    if (!other) return;
    other.other = undefined;
    other.#arrive(() => other.#closed?.());
  }

  #arrive(event: () => void): void {
    queueMicrotask(() => {
      this.#inbox.push(event);
      this.#deliver();
    });
  }

  /**
   * Delivers one message, unless this side has closed. There is one call per message, so that an error in one
   * does not delay the others.
   */
  #deliver(): void {
    if (this.#receive) this.#inbox.shift()?.();
  }
}

/**
 * A transport over a `MessagePort`: the fastest way between two windows, and the way to a worker.
 *
 * @example
 * ```ts source="./protocol.examples.ts#portTransport"
 * const { port1, port2 } = new MessageChannel();
 * worker.postMessage({ port: port2 }, [port2]);
 * const peer = new Peer<"view">().open(new PortTransport(port1));
 * await peer.request("ping", {});
 * ```
 */
export class PortTransport implements Transport {
  readonly #port: MessagePort;
  #closed = (): void => {};

  constructor(port: MessagePort) {
    this.#port = port;
  }

  start(receive: (message: unknown) => void, closed: () => void): void {
    this.#closed = closed;
    this.#port.onmessage = (event) => receive(event.data);
    // Newer browsers fire `close` when the other port is gone; Node always did.
    this.#port.addEventListener("close", closed);
  }

  send(message: unknown): void {
    this.#port.postMessage(message);
  }

  close(): void {
    this.#port.removeEventListener("close", this.#closed);
    this.#port.onmessage = null;
    this.#port.close();
  }
}

/**
 * Lets the other side send its messages as JSON text instead of objects, and answers in the same form.
 *
 * @example
 * ```ts source="./protocol.examples.ts#acceptText"
 * const transport = new WindowTransport({ target: frame, origin: "https://app-1.sandbox.example" });
 * const peer = new CheckedPeer(HOST_END).open(acceptText(transport));
 * ```
 *
 * @param ontext called when it does
 */
export function acceptText(transport: Transport, ontext?: () => void): Transport {
  let text = false;
  const parse = (message: unknown): unknown => {
    if (typeof message !== "string") return message;
    try {
      const parsed: unknown = JSON.parse(message);
      // Unrelated text from elsewhere in the page says nothing about the other side's format.
      if (isObject(parsed) && parsed.jsonrpc === "2.0") {
        text = true;
        ontext?.();
      }
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
