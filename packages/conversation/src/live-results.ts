/**
 * Results that are too large for the store, held in memory only.
 *
 * @module
 */
import { sizeOf } from "@vitrine/guard";
import type { CallItem } from "@vitrine/wire";
import type { ConversationLimits } from "./limits.js";
import { isTaken } from "./stored-item.js";

/** A held result. */
interface Live {
  readonly owner: object;
  readonly size: number;
  drop(): void;
}

/** Maximum number of characters counted. Servers cannot send more. */
const MOST_COUNTED = 64_000_000;

/**
 * Holds results up to a limit per conversation and in total, and drops the oldest first. The newest always
 * stays, because it is about to be read. Stored results do not count, because the store limits them.
 */
export class LiveResults {
  readonly #limits: Pick<ConversationLimits, "live" | "liveOfAll">;
  /** By entry, the oldest first. */
  readonly #held = new Map<CallItem, Live>();

  constructor(limits: Pick<ConversationLimits, "live" | "liveOfAll">) {
    this.#limits = limits;
  }

  /** Adds the result of an entry; `drop` releases it. */
  add(owner: object, item: CallItem, drop: () => void): void {
    if (!item.result || isTaken(item)) return;
    const added: Live = { owner, size: sizeOf(item.result, MOST_COUNTED), drop };
    this.#held.set(item, added);
    const { live, liveOfAll } = this.#limits;
    this.#shrink(live, added, (each) => each.owner === owner);
    this.#shrink(liveOfAll, added, () => true);
  }

  /** Removes the result of an entry. */
  remove(item: CallItem): void {
    this.#held.delete(item);
  }

  /** Removes the results of a conversation. */
  leave(owner: object): void {
    for (const [item, each] of this.#held) if (each.owner === owner) this.#held.delete(item);
  }

  #shrink(limit: number, newest: Live, counts: (each: Live) => boolean): void {
    let size = 0;
    for (const each of this.#held.values()) if (counts(each)) size += each.size;
    for (const [item, each] of this.#held) {
      if (size <= limit) return;
      if (each === newest || !counts(each)) continue;
      size -= each.size;
      this.#held.delete(item);
      each.drop();
    }
  }
}
