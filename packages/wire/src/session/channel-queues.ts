/**
 * What waits to be sent: a queue for each channel, served in turns, a part at a time.
 *
 * @module
 */
import { endOfPart, FRAME_COST } from "./frame.js";

interface Queue {
  texts: string[];
  /** How much of the first text is gone already. */
  from: number;
}

/** The part of a message whose turn it is. */
export interface Part {
  channel: string;
  more: boolean;
  text: string;
}

/** Queues of all channels of one end. */
export class ChannelQueues {
  /** Only channels that have something to say, in the order of their turns. Thousands of sessions have none. */
  #queues: Map<string, Queue> | undefined;
  #cost = 0;

  /** What waits, in characters. */
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

  /** Takes the next part: no channel has a second turn before all others had theirs. */
  take(): Part | undefined {
    const next = this.#queues?.entries().next();
    if (!this.#queues || !next || next.done) return undefined;
    const [channel, queue] = next.value;
    const [whole = ""] = queue.texts;
    const { from } = queue;
    const to = endOfPart(whole, from);
    const more = to < whole.length;
    queue.from = more ? to : 0;
    if (!more) queue.texts.shift();
    this.#cost -= to - from + (more ? 0 : FRAME_COST);
    // To the end of the row, or out of it.
    this.#queues.delete(channel);
    if (queue.texts.length > 0) this.#queues.set(channel, queue);
    return { channel, more, text: from === 0 && !more ? whole : whole.slice(from, to) };
  }

  /** Forgets what a channel wanted to say, but for a message of which a part is gone: the other end waits for its end. */
  drop(channel: string): void {
    const queue = this.#queues?.get(channel);
    if (!queue) return;
    for (const text of queue.texts.splice(queue.from > 0 ? 1 : 0)) this.#cost -= text.length + FRAME_COST;
    if (queue.texts.length === 0) this.#queues?.delete(channel);
  }

  clear(): void {
    this.#queues = undefined;
    this.#cost = 0;
  }
}
