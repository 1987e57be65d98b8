/**
 * Flow control of one forwarded page socket, or one answer, on the connection between two nodes.
 *
 * @module
 */

import { FRAME_COST } from "@vitrine/wire";

/** The cost of frames that may be on their way to the other node. Beyond it, frames wait where they come from. */
const WINDOW = 262_144;
/** The cost of consumed frames that are reported together. */
const REPORT = WINDOW / 4;

/** The cost of a frame in characters, as sessions count it. */
export const costOf = (frame: string): number => frame.length + FRAME_COST;

/**
 * Credit in both directions: a slow page fills its own window and stops its own frames, and no others on the
 * connection.
 */
export class StreamFlow {
  #outstanding = 0;
  #consumed = 0;

  /** Whether the other node has not yet consumed a whole window. */
  get isFull(): boolean {
    return this.#outstanding > WINDOW;
  }

  sent(cost: number): void {
    this.#outstanding += cost;
  }

  /** The other node reported that it has consumed this much. */
  credited(cost: number): void {
    this.#outstanding = Math.max(0, this.#outstanding - cost);
  }

  /** Counts consumed frames; returns the cost to report now, or 0. */
  consumed(cost: number): number {
    this.#consumed += cost;
    if (this.#consumed < REPORT) return 0;
    const report = this.#consumed;
    this.#consumed = 0;
    return report;
  }
}
