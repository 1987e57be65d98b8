/**
 * A side of a session that outlives its connections. Page and gateway run the same code
 * (docs/decisions/010).
 *
 * @module
 */
import { VitrineError } from "@vitrine/protocol";
import { ChannelQueues, type MessagePart } from "./channel-queues.js";
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
import type { SessionTransport, TransportFault } from "./session-transport.js";

/** Send a separate acknowledgement after this much, unless a message carries it earlier. */
const ACK_AFTER = { cost: 65_536, frames: 32, milliseconds: 25 };

/** A sent part; its `ack` is that of the last transmission. */
interface Sent extends MessagePart {
  readonly seq: number;
  ack: number;
}

/** Options of a {@link Session}. */
export interface SessionOptions {
  /** Many sessions may share one object. */
  limits?: SessionLimits | undefined;
  /** Sets a timer; `setTimeout` by default. */
  later?: ((run: () => void, milliseconds: number) => unknown) | undefined;
}

/**
 * A side of a resumable session with many channels: each message arrives once, in the order of its channel,
 * whatever happens to the transports. It knows neither the kind of transport nor the contents of messages.
 *
 * @example
 * ```ts source="./session.examples.ts#session"
 * const session = new Session();
 * session.onmessage = (channel, text) => show(`${channel}: ${text}`);
 * session.send("view-1", '{"jsonrpc":"2.0","method":"ping","id":1}'); // Queued until there is a transport.
 * const transport: SessionTransport = { send: (frame) => socket.send(frame), end: () => socket.close() };
 * socket.onmessage = ({ data }) => session.receive(transport, data);
 * socket.onclose = () => session.detach(transport);
 * // After the handshake, in which both sides report what they have received:
 * session.attach(transport, { received: 0 });
 * ```
 */
export class Session {
  /** Called for every message. */
  onmessage: ((channel: string, text: string) => void) | undefined;
  /**
   * Called for errors in {@link onmessage}; by default they go to the window or the process. The session
   * continues.
   */
  onerror: ((cause: unknown) => void) | undefined;
  /** The send queue is above its high-water mark: pause producers until `drain`. */
  onfull: (() => void) | undefined;
  /** The send queue has drained. */
  ondrain: (() => void) | undefined;
  readonly #limits: SessionLimits;
  readonly #later: (run: () => void, milliseconds: number) => unknown;
  #transport: SessionTransport | undefined;
  #sent = 0;
  readonly #queues: ChannelQueues;
  #isFull = false;
  /**
   * Sent but unacknowledged parts, oldest first. From index `#resend` on, the current transport has not sent
   * them yet.
   */
  #unacknowledged: Sent[] = [];
  #unacknowledgedCost = 0;
  #resend = 0;
  /** The last number that arrived, and the last that was handled: those in between are held. */
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
    this.#queues = new ChannelQueues(this.#limits.partial);
    this.#later = options.later ?? later;
  }

  /** The last handled number: `received` of a handshake. */
  get received(): number {
    return this.#received;
  }

  /** Size of the send queue. */
  get queued(): number {
    return this.#queues.cost;
  }

  /** Total memory: queued, unacknowledged, held and incomplete messages. */
  get kept(): number {
    return this.#queues.cost + this.#unacknowledgedCost + this.#heldCost + this.#partials.cost;
  }

  /** Whether the send queue is above its high-water mark. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Whether the other side can have received that much. */
  hasSent(received: number): boolean {
    return Number.isSafeInteger(received) && received >= 0 && received <= this.#sent;
  }

  /**
   * Continues over a new transport, replacing the previous one without notifying it.
   *
   * @param from `received` is the other side's number from the handshake
   * @throws {VitrineError} `invalid` if that number was never sent: the sessions do not match
   */
  attach(transport: SessionTransport, from: { received: number }): void {
    if (!this.hasSent(from.received)) {
      throw new VitrineError("invalid", `frame ${from.received} was never sent in this session`);
    }
    if (this.#transport) this.detach(this.#transport);
    this.#transport = transport;
    this.#resend = 0;
    this.#owedFrames = this.#owedCost = 0;
    this.#acknowledge(from.received);
    this.flush();
  }

  /** The transport is gone. Held frames will be sent again. */
  detach(transport: SessionTransport): void {
    if (transport !== this.#transport) return;
    this.#transport = undefined;
    this.#arrived = this.#received;
    this.#held = [];
    this.#heldCost = 0;
  }

  /** Starts over, as if nothing had been sent. Drops the transport. */
  reset(): void {
    if (this.#transport) this.detach(this.#transport);
    this.#sent = this.#arrived = this.#received = this.#resend = 0;
    this.#queues.clear();
    this.#partials.clear();
    this.#unacknowledged = [];
    this.#unacknowledgedCost = 0;
    this.#drain();
  }

  /**
   * Sends a message, now or as soon as possible.
   *
   * @param isUrgent sends it even if the queue is full: for short messages that free space, such as a
   * cancellation
   * @throws {VitrineError} `send-failed` if the queue is full: nothing was sent
   */
  send(channel: string, text: string, isUrgent?: boolean): void {
    if (!isChannel(channel))
      throw new VitrineError("invalid", `${JSON.stringify(channel)} is not a channel name`);
    if (this.#queues.cost === 0 && text.length <= PART && this.#hasRoom(this.#transport)) {
      this.#transmit({ channel, more: false, text });
      return;
    }
    if (!isUrgent && this.#queues.cost + text.length > this.#limits.queue) {
      throw new VitrineError("send-failed", "the send queue is full: the connection is too slow, or gone");
    }
    this.#queues.add(channel, text);
    if (!this.#isFull && this.#queues.cost >= this.#limits.highWater) {
      this.#isFull = true;
      this.onfull?.();
    }
    this.flush();
  }

  /** Pings the other side. Any incoming frame counts as an answer. */
  ask(): void {
    this.#transport?.send("?");
  }

  /** Drops the send queue of a channel, and its remaining incoming messages. */
  closeChannel(channel: string): void {
    if (channel === MAIN_CHANNEL)
      throw new VitrineError("invalid", "the session's own channel cannot be closed");
    this.#queues.drop(channel);
    this.#partials.drop(channel);
    this.#drain();
  }

  /** Sends what can be sent. Call it when a full transport has room again. */
  flush(): void {
    const transport = this.#transport;
    while (transport && transport === this.#transport && !transport.full) {
      const again = this.#unacknowledged[this.#resend];
      if (again) {
        this.#resend++;
        this.#write(transport, again);
        continue;
      }
      const next = this.#hasRoom(transport) ? this.#queues.take() : undefined;
      if (!next) break;
      this.#transmit(next);
    }
    this.#drain();
  }

  /** Handles a frame of a transport; frames of replaced transports are ignored. */
  receive(transport: SessionTransport, text: string): void {
    if (transport !== this.#transport) return;
    let frame: ReturnType<typeof parseFrame>;
    try {
      frame = parseFrame(text);
    } catch (error) {
      this.#fault("malformed", error instanceof Error ? error.message : "a frame cannot be read");
      return;
    }
    if (frame === "?") transport.send("!");
    else if (frame !== "!") this.#take(frame);
  }

  #take(frame: MessageFrame | { ack: number }): void {
    if (frame.ack > this.#sent) {
      this.#fault("malformed", `frame ${frame.ack} is acknowledged, but was never sent`);
      return;
    }
    if (frame.ack > 0 && this.#acknowledge(frame.ack)) this.flush();
    if (!("seq" in frame)) return;
    // Acknowledge a duplicate again: the other side does not know that it arrived.
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
    if (!this.#transport) return;
    this.#owedFrames = this.#owedCost = 0;
    this.#transport.send(`- ${this.#received}`);
  }

  /** Drops acknowledged parts; returns whether there were any. */
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

  /** Whether something new may be sent, after everything that must be sent again. */
  #hasRoom(transport: SessionTransport | undefined): boolean {
    return (
      transport !== undefined &&
      !transport.full &&
      this.#resend === this.#unacknowledged.length &&
      this.#unacknowledgedCost < this.#limits.window
    );
  }

  #transmit(part: MessagePart): void {
    const { channel, more, text } = part;
    const frame = { seq: ++this.#sent, ack: 0, channel, more, text };
    this.#unacknowledged.push(frame);
    this.#unacknowledgedCost += text.length + FRAME_COST;
    this.#resend++;
    if (this.#transport) this.#write(this.#transport, frame);
  }

  #write(transport: SessionTransport, frame: Sent): void {
    this.#owedFrames = this.#owedCost = 0;
    frame.ack = this.#received;
    transport.send(writeFrame(frame));
  }

  /** Fires `ondrain`, and handles the held frames. */
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

  #fault(fault: TransportFault, message: string): void {
    const transport = this.#transport;
    if (!transport) return;
    this.detach(transport);
    transport.end(fault, message);
  }
}

const later = (run: () => void, milliseconds: number): unknown => setTimeout(run, milliseconds);
