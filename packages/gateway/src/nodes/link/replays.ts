/**
 * Recognizes operations that were received before.
 *
 * @module
 */

/** Numbers that are remembered below the highest one of a sender. */
const WINDOW = 262_144;
/** Maximum number of senders to remember. */
const MAX_SENDERS = 1000;

interface Sender {
  highest: number;
  /** A bit for each number of the window; lower numbers count as used. */
  readonly used: Uint32Array;
}

/**
 * The numbers that each sender has used. A sender counts its operations, so a sliding window of bits is
 * enough: 32 KB for a sender, whatever the traffic. Numbers may arrive out of order, because requests use
 * several connections.
 */
export class UsedNumbers {
  readonly #senders = new Map<string, Sender>();

  /** Marks a number as used. Returns false if it was used before, or is too old to know. */
  use(sender: string, number: number): boolean {
    const known = this.#senders.get(sender) ?? this.#add(sender);
    if (number <= known.highest - WINDOW) return false;
    if (number > known.highest) {
      // The window moves: the places of skipped numbers are free again.
      const from = Math.max(known.highest + 1, number - WINDOW + 1);
      for (let each = from; each <= number; each++) known.used[index(each)] = clear(known.used, each);
      known.highest = number;
    }
    const at = index(number);
    const bit = 1 << (number % 32);
    const word = known.used[at] ?? 0;
    if ((word & bit) !== 0) return false;
    known.used[at] = word | bit;
    return true;
  }

  #add(name: string): Sender {
    // The oldest one: its operations are refused by their time, or its node is gone.
    for (const oldest of this.#senders.keys()) {
      if (this.#senders.size < MAX_SENDERS) break;
      this.#senders.delete(oldest);
    }
    const sender: Sender = { highest: 0, used: new Uint32Array(WINDOW / 32) };
    this.#senders.set(name, sender);
    return sender;
  }
}

const index = (number: number): number => Math.floor(number / 32) % (WINDOW / 32);
const clear = (used: Uint32Array, number: number): number =>
  (used[index(number)] ?? 0) & ~(1 << (number % 32));
