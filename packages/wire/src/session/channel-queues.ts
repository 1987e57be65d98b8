/**
 * Send queues, one per channel, served round-robin, one part at a time.
 *
 * @module
 */
import { endOfPart, FRAME_COST, PART } from "./frame.js";

interface Queue {
  texts: string[];
  /** How much of the first text has been sent. */
  from: number;
}

/** The next part of a message. */
export interface MessagePart {
  channel: string;
  more: boolean;
  text: string;
}

/** The send queues of one side. */
export class ChannelQueues {
  /**
   * Only channels with queued messages, in round-robin order. Thousands of sessions have none, so the map is
   * created on demand.
   */
  #queues: Map<string, Queue> | undefined;
  #cost = 0;
  readonly #limit: number;
  /** Size of the messages of which only some parts have been taken. */
  #started = 0;

  /** @param limit maximum size of incomplete messages that the other side keeps */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Queued characters. */
  get cost(): number {
    return this.#cost;
  }

  add(channel: string, text: string): void {
    this.#queues ??= new Map();
    const queue = this.#queues.get(channel);
    if (queue) queue.texts.push(text);
    else this.#queues.set(channel, { texts: [text], from: 0 });
    this.#cost += text.length + FRAME_COST;
  }

  /**
   * Takes the next part: each channel gets its turn before any gets a second one. A message of several parts waits, and
   * those behind it, until it fits the other side's limit beside the started ones.
   */
  take(): MessagePart | undefined {
    let isBlocked = false;
    for (const [channel, queue] of this.#queues ?? []) {
      const [whole = ""] = queue.texts;
      const { from } = queue;
      const to = endOfPart(whole, from);
      const more = to < whole.length;
      // More than the frames cost at the other side.
      const size = whole.length + (whole.length >> 6) + PART;
      if (more && !from) {
        isBlocked ||= this.#started > 0 && this.#started + size > this.#limit;
        if (isBlocked) continue;
        this.#started += size;
      } else if (!more && from) this.#started -= size;
      queue.from = more ? to : 0;
      if (!more) queue.texts.shift();
      this.#cost -= to - from + (more ? 0 : FRAME_COST);
      // Moves the channel to the end, or removes it.
      this.#queues?.delete(channel);
      if (queue.texts.length > 0) this.#queues?.set(channel, queue);
      return { channel, more, text: whole.slice(from, to) };
    }
    return undefined;
  }

  /** Drops the queue of a channel, except for a partly sent message: the other side waits for its end. */
  drop(channel: string): void {
    const queue = this.#queues?.get(channel);
    if (!queue) return;
    for (const text of queue.texts.splice(queue.from > 0 ? 1 : 0)) this.#cost -= text.length + FRAME_COST;
    if (queue.texts.length === 0) this.#queues?.delete(channel);
  }

  clear(): void {
    this.#queues = undefined;
    this.#cost = this.#started = 0;
  }
}
