/**
 * Reassembles large messages from their parts.
 *
 * @module
 */
import { FRAME_COST, type MessageFrame } from "./frame.js";

interface Partial {
  parts: string[];
  cost: number;
  /** Whether its channel was closed: the remaining parts are dropped. */
  dropped: boolean;
}

/** Incomplete messages of all channels of one side. */
export class PartialMessages {
  #partials: Map<string, Partial> | undefined;
  #cost = 0;

  /** Characters of the incomplete messages. */
  get cost(): number {
    return this.#cost;
  }

  has(channel: string): boolean {
    return this.#partials?.has(channel) ?? false;
  }

  /** Adds a part, and returns the message if it is complete. */
  add({ channel, more, text }: MessageFrame): string | undefined {
    this.#partials ??= new Map();
    let partial = this.#partials.get(channel);
    if (!partial) this.#partials.set(channel, (partial = { parts: [], cost: 0, dropped: false }));
    if (!partial.dropped) {
      partial.parts.push(text);
      this.#count(partial, text.length + FRAME_COST);
    }
    if (more) return undefined;
    this.#cost -= partial.cost;
    this.#partials.delete(channel);
    return partial.dropped ? undefined : partial.parts.join("");
  }

  /** The size of a message with one more part. */
  costWith({ channel, text }: MessageFrame): number {
    return (this.#partials?.get(channel)?.cost ?? 0) + text.length + FRAME_COST;
  }

  /** Drops the channel's incomplete message and its remaining parts. */
  drop(channel: string): void {
    const partial = this.#partials?.get(channel);
    if (!partial) return;
    this.#count(partial, -partial.cost);
    partial.parts = [];
    partial.dropped = true;
  }

  clear(): void {
    this.#partials = undefined;
    this.#cost = 0;
  }

  #count(partial: Partial, more: number): void {
    partial.cost += more;
    this.#cost += more;
  }
}
