/**
 * The session of a page socket whose user's state is on another node: the end at the page's node.
 *
 * @module
 */
import { decode, object, string } from "@vitrine/protocol";
import type { TransportFault } from "@vitrine/wire";
import type { Counter } from "../../http/metrics.js";
import type { CarriedSession } from "../../sessions/registry.js";
import type { PageSocket } from "../../sessions/transports/socket-transport.js";
import { costOf, StreamFlow } from "./flow.js";
import type { StreamLink } from "./stream-link.js";

const SENT = { direction: "sent" };
const RECEIVED = { direction: "received" };
const BYE = object({ code: string, message: string });

/** Passes frames between a page's socket and the connection to the node that has the session. */
export class ForwardedSession implements CarriedSession {
  readonly #transport: PageSocket;
  readonly #frames: Pick<Counter, "add">;
  readonly #flow = new StreamFlow();
  #link: StreamLink | undefined;
  #id = 0;
  /** Set if this node turned out to have the session. */
  #local: CarriedSession | undefined;
  /** Frames that arrived before the stream was open: at most the rest of what the socket had read. */
  #early: string[] | undefined = [];
  /** The cost of frames that wait in the page's socket. */
  #unsent = 0;
  #isOver = false;
  #onover: (() => void) | undefined;

  constructor(transport: PageSocket, frames: Pick<Counter, "add">) {
    this.#transport = transport;
    this.#frames = frames;
    transport.hold(true);
  }

  /** Whether the page's socket is gone, or was told to go. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Sends frames on this stream from now on. */
  opened(link: StreamLink, id: number, onover: () => void): void {
    this.#link = link;
    this.#id = id;
    this.#onover = onover;
    // The page may have left meanwhile.
    if (this.#isOver) this.#leave();
    this.#release((frame) => this.receive(this.#transport, frame));
  }

  /** Hands the page's socket over to a session of this process. */
  openedHere(session: CarriedSession | undefined): void {
    this.#local = session;
    this.#isOver = session === undefined;
    this.#release((frame) => session?.receive(this.#transport, frame));
  }

  #release(receive: (frame: string) => void): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const frame of early) receive(frame);
    this.#hold();
  }

  receive(transport: PageSocket, frame: string): number {
    if (this.#local) return this.#local.receive(transport, frame);
    if (this.#isOver) return 0;
    if (this.#early) this.#early.push(frame);
    else {
      this.#link?.send("f", this.#id, frame);
      this.#frames.add(SENT);
      this.#flow.sent(costOf(frame));
      this.#hold();
    }
    return 0;
  }

  /** Reads from the page only as fast as the other node takes it. */
  #hold(): void {
    this.#transport.hold(!this.#local && (this.#flow.isFull || this.#link?.isFull === true));
  }

  lose(transport: PageSocket): void {
    if (this.#local) this.#local.lose(transport);
    else if (!this.#isOver) this.#leave();
    this.#isOver = true;
  }

  #leave(): void {
    this.#link?.send("c", this.#id);
    this.#onover?.();
  }

  fault(transport: PageSocket, fault: TransportFault, message: string): void {
    if (this.#local) this.#local.fault(transport, fault, message);
    else if (this.#link) this.#link.send("e", this.#id, `${fault} ${message}`);
    else transport.bye({ code: fault, message });
  }

  flush(): void {
    if (this.#local) this.#local.flush();
    else this.#consume();
  }

  /** The connection has room again. */
  drained(): void {
    if (!this.#isOver) this.#hold();
  }

  /** A frame for the page. The other node sends more when the page's socket has room. */
  deliver(frame: string): void {
    this.#frames.add(RECEIVED);
    this.#unsent += costOf(frame);
    this.#transport.send(frame);
    if (!this.#transport.full) this.#consume();
  }

  #consume(): void {
    const report = this.#flow.consumed(this.#unsent);
    this.#unsent = 0;
    if (report > 0) this.#link?.send("w", this.#id, `${report}`);
  }

  credited(cost: number): void {
    this.#flow.credited(cost);
    if (!this.#isOver) this.#hold();
  }

  /** The other node's bye, with its own code. */
  dismiss(text: string): void {
    const decoded = decode(BYE, JSON.parse(text), "the bye");
    this.end(decoded.ok ? decoded.value : { code: "gap", message: decoded.message });
  }

  /** Closes the page's socket; the code tells the page whether to come back. */
  end(bye: { code: string; message: string }): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onover?.();
    this.#transport.bye(bye);
  }
}
