/**
 * A page socket at another node, as the transport of a session of this one.
 *
 * @module
 */
import type { Bye, TransportFault } from "@vitrine/wire";
import type { CarriedSession, PageTransport } from "../../sessions/registry.js";
import { costOf, StreamFlow } from "./flow.js";
import type { StreamLink } from "./stream-link.js";

const FAULTS: readonly TransportFault[] = ["gap", "malformed", "window", "too-large"];

/** Carries the frames of one session over the connection between the nodes. */
export class LinkTransport implements PageTransport {
  readonly #link: StreamLink;
  readonly #id: number;
  readonly #closed: () => void;
  readonly #flow = new StreamFlow();
  #session: CarriedSession | undefined;
  /** The cost of frames from the page for which it has no credit yet. */
  #taken = 0;
  #isThrottled = false;
  #isOver = false;

  constructor(link: StreamLink, id: number, closed: () => void) {
    this.#link = link;
    this.#id = id;
    this.#closed = closed;
  }

  /** Attaches the session; undefined if there is none, after a bye. */
  begin(session: CarriedSession | undefined): void {
    this.#session = session;
  }

  get full(): boolean {
    return this.#flow.isFull || this.#link.isFull;
  }

  send(frame: string): void {
    if (this.#isOver) return;
    this.#flow.sent(costOf(frame));
    this.#link.send("f", this.#id, frame);
  }

  end(fault: TransportFault, message: string): void {
    this.#session?.fault(this, fault, message);
  }

  bye(bye: Bye): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#link.send("b", this.#id, JSON.stringify(bye));
    this.#session?.lose(this);
    this.#closed();
  }

  receive(frame: string): void {
    const wait = this.#session?.receive(this, frame) ?? 0;
    this.#taken += costOf(frame);
    if (wait > 0 && !this.#isThrottled) {
      // A page that sends too fast gets its credit later, so its node stops reading.
      this.#isThrottled = true;
      setTimeout(() => {
        this.#isThrottled = false;
        this.#consume();
      }, wait).unref();
    }
    if (!this.#isThrottled) this.#consume();
  }

  #consume(): void {
    const report = this.#flow.consumed(this.#taken);
    this.#taken = 0;
    if (report > 0) this.#link.send("w", this.#id, `${report}`);
  }

  credited(cost: number): void {
    this.#flow.credited(cost);
    this.flush();
  }

  flush(): void {
    if (!this.#isOver && !this.full) this.#session?.flush();
  }

  /** A fault that the page's node has found: `<fault> <message>`. */
  fault(text: string): void {
    const [word = ""] = text.split(" ", 1);
    const fault = FAULTS.find((each) => each === word) ?? "malformed";
    this.#session?.fault(this, fault, text.slice(word.length + 1));
  }

  /** The page's socket, or the connection between the nodes, is closed. */
  lose(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#session?.lose(this);
    this.#closed();
  }
}
