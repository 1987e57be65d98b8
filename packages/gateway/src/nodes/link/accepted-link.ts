/**
 * The receiving end of the connection between two nodes: page sockets at the other node, as transports of the
 * sessions here, and requests of its callers.
 *
 * @module
 */
import { GatewayError } from "@vitrine/wire";
import type { CarriedSession, PageTransport } from "../../sessions/registry.js";
import { LinkRequests, type RequestHost } from "./link-requests.js";
import { LinkTransport } from "./link-transport.js";
import { checkBody } from "./operation.js";
import {
  type BytesWord,
  LINK_PATH,
  type LinkEvents,
  StreamLink,
  type StreamLinkOptions,
} from "./stream-link.js";

/** The target of the operation that opens a stream. */
export const STREAM_TARGET = { method: "OPEN", url: LINK_PATH, headers: {} };

/** The node of an {@link AcceptedLink}. */
export interface LinkHost extends RequestHost {
  open(hello: string, user: string, transport: PageTransport): CarriedSession | undefined;
  /** Called with refused operations. */
  refused(error: GatewayError): void;
}

/** Streams that another node opened, and requests that it asks. */
export class AcceptedLink implements LinkEvents {
  readonly link: StreamLink;
  readonly #host: LinkHost;
  readonly #closed: (reason: string) => void;
  readonly #streams = new Map<number, LinkTransport>();
  readonly #requests: LinkRequests;
  #last = 0;

  constructor(
    socket: ConstructorParameters<typeof StreamLink>[0],
    host: LinkHost,
    closed: (reason: string) => void,
    beat?: StreamLinkOptions["beat"],
  ) {
    this.#host = host;
    this.#closed = closed;
    this.link = new StreamLink(socket, this, { pings: false, beat });
    this.#requests = new LinkRequests(this.link, host);
  }

  bytes(word: BytesWord, id: number, rest: Buffer): void {
    if (word !== "q") throw misunderstood();
    this.#begin(id, () => this.#requests.ask(id, rest));
  }

  message(word: string, id: number, rest: string): void {
    if (word === "o") {
      this.#begin(id, () => this.#open(id, rest));
      return;
    }
    // Frames of a stream that was just closed may still be on their way.
    if (id > this.#last) throw new GatewayError("operation-invalid", `stream ${id} was not opened`);
    const stream = this.#streams.get(id);
    if (word === "f") stream?.receive(rest);
    else if (word === "w" && stream) stream.credited(Number(rest));
    else if (word === "w") this.#requests.credited(id, Number(rest));
    else if (word === "e") stream?.fault(rest);
    else if (word === "c") stream?.lose();
    else if (word === "x") this.#requests.leave(id);
    else throw misunderstood();
  }

  drained(): void {
    for (const stream of this.#streams.values()) stream.flush();
    this.#requests.drained();
  }

  closed(reason: string): void {
    for (const stream of [...this.#streams.values()]) stream.lose();
    this.#requests.closed();
    this.#closed(reason);
  }

  /** Begins a stream or a request, or refuses it. */
  #begin(id: number, begin: () => void): void {
    if (id <= this.#last) throw new GatewayError("operation-replayed", `stream ${id} was opened before`);
    this.#last = id;
    try {
      begin();
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      this.#host.refused(error);
      const { code } = error.data;
      this.link.send("r", id, JSON.stringify({ code, message: error.message }));
    }
  }

  #open(id: number, rest: string): void {
    const at = rest.indexOf(" ");
    const hello = rest.slice(at + 1);
    const operation = this.#host.verifier.verify(rest.slice(0, at), STREAM_TARGET);
    checkBody(operation, hello);
    const { user } = operation;
    if (!this.#host.holds(user)) throw new GatewayError("not-owner", "this node does not have the session");
    const transport = new LinkTransport(this.link, id, () => this.#streams.delete(id));
    this.#streams.set(id, transport);
    transport.begin(this.#host.open(hello, user, transport));
  }
}

const misunderstood = (): GatewayError =>
  new GatewayError("operation-invalid", "a message between nodes was not understood");
