/**
 * Results that are too large for the store, and hence in memory alone.
 *
 * @module
 */
import { sizeOf } from "@vitrine/guard";
import type { CallItem } from "@vitrine/wire";
import type { ConversationLimits } from "./limits.js";
import { isTaken } from "./stored-item.js";

/** One that is held. */
interface Live {
  readonly owner: object;
  readonly size: number;
  drop(): void;
}

/** Characters that are counted of a result: servers are not let through with more. */
const MOST_COUNTED = 64_000_000;

/**
 * Holds results up to a limit for each conversation, and for all together; the oldest go first. The newest always stays,
 * as somebody is about to read it. What the store keeps does not count: there is a limit to how much that can be.
 */
export class LiveResults {
  readonly #limits: Pick<ConversationLimits, "live" | "liveOfAll">;
  /** By their entries, the oldest first. */
  readonly #held = new Map<CallItem, Live>();

  constructor(limits: Pick<ConversationLimits, "live" | "liveOfAll">) {
    this.#limits = limits;
  }

  /** An entry of a conversation has its result; `drop` lets go of it. */
  add(owner: object, item: CallItem, drop: () => void): void {
    if (!item.result || isTaken(item)) return;
    const added: Live = { owner, size: sizeOf(item.result, MOST_COUNTED), drop };
    this.#held.set(item, added);
    const { live, liveOfAll } = this.#limits;
    this.#shrink(live, added, (each) => each.owner === owner);
    this.#shrink(liveOfAll, added, () => true);
  }

  /** An entry is gone. */
  remove(item: CallItem): void {
    this.#held.delete(item);
  }

  /** A conversation is gone. */
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
