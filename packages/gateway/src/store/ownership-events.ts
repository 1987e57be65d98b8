/**
 * The events of a node's users.
 *
 * @module
 */
import { Listeners } from "@vitrine/protocol";
import type { TakenFrom, Uneven } from "./owned-users.js";

/** Listeners of {@link OwnedUsers}, which has their descriptions. */
export class OwnershipEvents {
  protected readonly moved = new Listeners<[shards: ReadonlySet<number>]>();
  protected readonly lost = new Listeners<[]>();
  protected readonly lapsed = new Listeners<[]>();
  protected readonly failed = new Listeners<[error: unknown]>();
  protected readonly taken = new Listeners<[shard: number, from: TakenFrom]>();
  protected readonly uneven = new Listeners<[uneven: Uneven]>();

  onMoved(listener: (shards: ReadonlySet<number>) => void): () => void {
    return this.moved.add(listener);
  }

  onTaken(listener: (shard: number, from: TakenFrom) => void): () => void {
    return this.taken.add(listener);
  }

  onLost(listener: () => void): () => void {
    return this.lost.add(listener);
  }

  onLapsed(listener: () => void): () => void {
    return this.lapsed.add(listener);
  }

  onFailed(listener: (error: unknown) => void): () => void {
    return this.failed.add(listener);
  }

  onUneven(listener: (uneven: Uneven) => void): () => void {
    return this.uneven.add(listener);
  }
}
