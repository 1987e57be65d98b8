/**
 * Puts the parts of large messages together.
 *
 * @module
 */
import { FRAME_COST, type MessageFrame } from "./frame.js";

interface Partial {
  parts: string[];
  cost: number;
  /** Its channel was closed: what is still to come is thrown away. */
  dropped: boolean;
}

/** What is known of unfinished messages, of all channels of one end. */
export class PartialMessages {
  #partials: Map<string, Partial> | undefined;
  #cost = 0;

  /** What the unfinished messages take, in characters. */
  get cost(): number {
    return this.#cost;
  }

  has(channel: string): boolean {
    return this.#partials?.has(channel) ?? false;
  }

  /** Takes a part, and returns the message if it is whole now. */
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

  /** What a message takes with one more part. */
  costWith({ channel, text }: MessageFrame): number {
    return (this.#partials?.get(channel)?.cost ?? 0) + text.length + FRAME_COST;
  }

  /** Throws away what there is of a channel's message, and what is still to come of it. */
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
