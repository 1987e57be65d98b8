/**
 * One end of a conversation that outlives its connections. Page and gateway run the same code (docs/decisions/010).
 *
 * @module
 */
import { VitrineError } from "@vitrine/protocol";
import type { Carrier, CarrierFault } from "./carrier.js";
import { ChannelQueues, type Part } from "./channel-queues.js";
import {
  FRAME_COST,
  isChannel,
  MAIN_CHANNEL,
  type MessageFrame,
  PART,
  parseFrame,
  writeFrame,
} from "./frame.js";
import { SESSION_LIMITS, type SessionLimits } from "./limits.js";
import { PartialMessages } from "./partial-messages.js";

/** An acknowledgement goes alone after this much, unless a message takes it along before. */
const ACK_AFTER = { cost: 65_536, frames: 32, milliseconds: 25 };

/** What was sent; its `ack` is that of the last time. */
interface Sent extends Part {
  readonly seq: number;
  ack: number;
}

/** Options of a {@link Session}. */
export interface SessionOptions {
  /** Many sessions may share one object. */
  limits?: SessionLimits | undefined;
  /** Calls back later; `setTimeout` by default. */
  later?: ((run: () => void, milliseconds: number) => unknown) | undefined;
}

/**
 * One end of a resumable conversation with many channels: what is sent arrives once and in the order of its channel,
 * whatever happens to the carriers. Nothing here knows what a carrier is made of, or what the messages say.
 *
 * @example
 * ```ts source="./session.examples.ts#session"
 * const session = new Session();
 * session.onmessage = (channel, text) => show(`${channel}: ${text}`);
 * session.send("view-1", '{"jsonrpc":"2.0","method":"ping","id":1}'); // Waits for a carrier.
 * const carrier: Carrier = { send: (frame) => socket.send(frame), end: () => socket.close() };
 * socket.onmessage = ({ data }) => session.receive(carrier, data);
 * socket.onclose = () => session.detach(carrier);
 * // After the handshake, in which both ends said what they have received:
 * session.attach(carrier, { received: 0 });
 * ```
 */
export class Session {
  /** Hears every message. */
  onmessage: ((channel: string, text: string) => void) | undefined;
  /** Hears what {@link onmessage} threw; without it the window does, or the process. The session is none the worse. */
  onerror: ((cause: unknown) => void) | undefined;
  /** Much waits to be sent: make no more of it than you must. */
  onfull: (() => void) | undefined;
  /** Little waits to be sent again. */
  ondrain: (() => void) | undefined;
  readonly #limits: SessionLimits;
  readonly #later: (run: () => void, milliseconds: number) => unknown;
  #carrier: Carrier | undefined;
  #sent = 0;
  readonly #queues = new ChannelQueues();
  #isFull = false;
  /** What is sent and not acknowledged, from the oldest on; from `#resend` on the present carrier has not sent it. */
  #unacknowledged: Sent[] = [];
  #unacknowledgedCost = 0;
  #resend = 0;
  /** The last number that came in, and the last that was dealt with: between them is what is held. */
  #arrived = 0;
  #received = 0;
  #held: MessageFrame[] = [];
  #heldCost = 0;
  #isReleasing = false;
  readonly #partials = new PartialMessages();
  #owedFrames = 0;
  #owedCost = 0;
  #isTimerSet = false;

  constructor(options: SessionOptions = {}) {
    this.#limits = options.limits ?? SESSION_LIMITS;
    this.#later = options.later ?? later;
  }

  /** The last number that was dealt with: `received` of a handshake. */
  get received(): number {
    return this.#received;
  }

  /** What waits to be sent. */
  get queued(): number {
    return this.#queues.cost;
  }

  /** All that is kept in memory: what waits, what is not acknowledged, what is held, what is unfinished. */
  get kept(): number {
    return this.#queues.cost + this.#unacknowledgedCost + this.#heldCost + this.#partials.cost;
  }

  /** Whether more waits to be sent than should. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Whether the other end can have received that much. */
  hasSent(received: number): boolean {
    return Number.isSafeInteger(received) && received >= 0 && received <= this.#sent;
  }

  /**
   * Goes on over a new carrier, in place of the one before; that one is not told.
   *
   * @param from `received` is what the other end said in the handshake
   * @throws {VitrineError} `invalid` when the other end cannot have received that: the conversations are not the same
   */
  attach(carrier: Carrier, from: { received: number }): void {
    if (!this.hasSent(from.received)) {
      throw new VitrineError("invalid", `frame ${from.received} was never sent in this session`);
    }
    if (this.#carrier) this.detach(this.#carrier);
    this.#carrier = carrier;
    this.#resend = 0;
    this.#owedFrames = this.#owedCost = 0;
    this.#acknowledge(from.received);
    this.flush();
  }

  /** The carrier is gone. What it had brought and was held will come again. */
  detach(carrier: Carrier): void {
    if (carrier !== this.#carrier) return;
    this.#carrier = undefined;
    this.#arrived = this.#received;
    this.#held = [];
    this.#heldCost = 0;
  }

  /** Begins anew, as if nothing had been said. The carrier is let go. */
  reset(): void {
    if (this.#carrier) this.detach(this.#carrier);
    this.#sent = this.#arrived = this.#received = this.#resend = 0;
    this.#queues.clear();
    this.#partials.clear();
    this.#unacknowledged = [];
    this.#unacknowledgedCost = 0;
    this.#drain();
  }

  /**
   * Sends a message, now or when it can be.
   *
   * @param isUrgent sends it even if the queue is full: for short messages that make room, such as a cancellation
   * @throws {VitrineError} `send-failed` when too much waits already: nothing was sent
   */
  send(channel: string, text: string, isUrgent?: boolean): void {
    if (!isChannel(channel))
      throw new VitrineError("invalid", `${JSON.stringify(channel)} is no name of a channel`);
    if (this.#queues.cost === 0 && text.length <= PART && this.#hasRoom(this.#carrier)) {
      this.#transmit({ channel, more: false, text });
      return;
    }
    if (!isUrgent && this.#queues.cost + text.length > this.#limits.queue) {
      throw new VitrineError("send-failed", "too much waits to be sent: the connection is too slow, or gone");
    }
    this.#queues.add(channel, text);
    if (!this.#isFull && this.#queues.cost >= this.#limits.highWater) {
      this.#isFull = true;
      this.onfull?.();
    }
    this.flush();
  }

  /** Asks the other end whether it is there. Whatever comes in then is an answer. */
  ask(): void {
    this.#carrier?.send("?");
  }

  /** Forgets what a channel still wanted to say, and what was still to come on it. */
  closeChannel(channel: string): void {
    if (channel === MAIN_CHANNEL)
      throw new VitrineError("invalid", "the session's own channel cannot be closed");
    this.#queues.drop(channel);
    this.#partials.drop(channel);
    this.#drain();
  }

  /** Sends what can be sent. To be called when a carrier that was full has room again. */
  flush(): void {
    const carrier = this.#carrier;
    while (carrier && carrier === this.#carrier && !carrier.full) {
      const again = this.#unacknowledged[this.#resend];
      if (again) {
        this.#resend++;
        this.#write(carrier, again);
        continue;
      }
      const next = this.#hasRoom(carrier) ? this.#queues.take() : undefined;
      if (!next) break;
      this.#transmit(next);
    }
    this.#drain();
  }

  /** Takes a frame that a carrier brought; those of carriers that were replaced are passed over. */
  receive(carrier: Carrier, text: string): void {
    if (carrier !== this.#carrier) return;
    let frame: ReturnType<typeof parseFrame>;
    try {
      frame = parseFrame(text);
    } catch (error) {
      this.#fault("malformed", error instanceof Error ? error.message : "a frame cannot be read");
      return;
    }
    if (frame === "?") carrier.send("!");
    else if (frame !== "!") this.#take(frame);
  }

  #take(frame: MessageFrame | { ack: number }): void {
    if (frame.ack > this.#sent) {
      this.#fault("malformed", `frame ${frame.ack} is acknowledged, and was never sent`);
      return;
    }
    if (frame.ack > 0 && this.#acknowledge(frame.ack)) this.flush();
    if (!("seq" in frame)) return;
    // What came before is acknowledged again: the other end does not know.
    if (frame.seq <= this.#arrived) this.#owe(0);
    else if (frame.seq > this.#arrived + 1) this.#fault("gap", `frame ${this.#arrived + 1} is missing`);
    else {
      this.#arrived = frame.seq;
      if (this.#held.length > 0 || (this.#isFull && this.#limits.holdWhenFull)) this.#hold(frame);
      else this.#deal(frame);
    }
  }

  #hold(frame: MessageFrame): void {
    this.#held.push(frame);
    this.#heldCost += frame.text.length + FRAME_COST;
    if (this.#heldCost > this.#limits.window + PART + FRAME_COST) {
      this.#fault(
        "window",
        `more than ${this.#limits.window} characters were sent without an acknowledgement`,
      );
    }
  }

  #deal(frame: MessageFrame): void {
    let text: string | undefined = frame.text;
    if (frame.more || this.#partials.has(frame.channel)) {
      const { message, partial } = this.#limits;
      if (this.#partials.costWith(frame) > message || this.#partials.cost + PART > partial) {
        this.#fault(
          "too-large",
          `a message is larger than ${message} characters, or all unfinished ones ${partial}`,
        );
        return;
      }
      text = this.#partials.add(frame);
    }
    this.#received = frame.seq;
    this.#owe(frame.text.length + FRAME_COST);
    if (text !== undefined) this.#deliver(frame.channel, text);
    if (this.#owedFrames >= ACK_AFTER.frames || this.#owedCost >= ACK_AFTER.cost) this.#sendAcknowledgement();
  }

  #deliver(channel: string, text: string): void {
    try {
      this.onmessage?.(channel, text);
    } catch (cause) {
      if (this.onerror) this.onerror(cause);
      else {
        queueMicrotask(() => {
          throw cause;
        });
      }
    }
  }

  #owe(cost: number): void {
    this.#owedFrames++;
    this.#owedCost += cost;
    if (this.#isTimerSet) return;
    this.#isTimerSet = true;
    this.#later(() => {
      this.#isTimerSet = false;
      if (this.#owedFrames > 0) this.#sendAcknowledgement();
    }, ACK_AFTER.milliseconds);
  }

  #sendAcknowledgement(): void {
    if (!this.#carrier) return;
    this.#owedFrames = this.#owedCost = 0;
    this.#carrier.send(`- ${this.#received}`);
  }

  /** Forgets what the other end has; whether there was anything. */
  #acknowledge(ack: number): boolean {
    let count = 0;
    for (
      let oldest = this.#unacknowledged[0];
      oldest && oldest.seq <= ack;
      oldest = this.#unacknowledged[0]
    ) {
      this.#unacknowledgedCost -= oldest.text.length + FRAME_COST;
      this.#unacknowledged.shift();
      count++;
    }
    this.#resend = Math.max(0, this.#resend - count);
    return count > 0;
  }

  /** Whether something new may be sent: after all that is to be sent again. */
  #hasRoom(carrier: Carrier | undefined): boolean {
    return (
      carrier !== undefined &&
      !carrier.full &&
      this.#resend === this.#unacknowledged.length &&
      this.#unacknowledgedCost < this.#limits.window
    );
  }

  #transmit(part: Part): void {
    const { channel, more, text } = part;
    const frame = { seq: ++this.#sent, ack: 0, channel, more, text };
    this.#unacknowledged.push(frame);
    this.#unacknowledgedCost += text.length + FRAME_COST;
    this.#resend++;
    if (this.#carrier) this.#write(this.#carrier, frame);
  }

  #write(carrier: Carrier, frame: Sent): void {
    this.#owedFrames = this.#owedCost = 0;
    frame.ack = this.#received;
    carrier.send(writeFrame(frame));
  }

  /** Tells that little waits again, and deals with what was held meanwhile. */
  #drain(): void {
    if (!this.#isFull || this.#queues.cost > this.#limits.highWater / 4) return;
    this.#isFull = false;
    this.ondrain?.();
    if (this.#isReleasing) return;
    this.#isReleasing = true;
    try {
      while (!this.#isFull) {
        const frame = this.#held.shift();
        if (!frame) break;
        this.#heldCost -= frame.text.length + FRAME_COST;
        this.#deal(frame);
      }
    } finally {
      this.#isReleasing = false;
    }
  }

  #fault(fault: CarrierFault, message: string): void {
    const carrier = this.#carrier;
    if (!carrier) return;
    this.detach(carrier);
    carrier.end(fault, message);
  }
}

const later = (run: () => void, milliseconds: number): unknown => setTimeout(run, milliseconds);
