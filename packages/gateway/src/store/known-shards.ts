/**
 * The owners of shards, as this process last read them. A read takes time, and several run at once: none of them undoes a
 * change that it did not see.
 *
 * @module
 */
import type { ShardOwner } from "./shards.js";

/** The owners of shards. */
export class KnownShards {
  #owners: ReadonlyMap<number, ShardOwner> = new Map();
  /** Changes by this process that no read has seen yet, with the number of the last read that had begun before. */
  readonly #changes = new Map<number, { owner: ShardOwner | undefined; after: number }>();
  #begun = 0;
  #taken = 0;

  /** The owner of a shard. */
  get(shard: number): ShardOwner | undefined {
    return this.#owners.get(shard);
  }

  get all(): ReadonlyMap<number, ShardOwner> {
    return this.#owners;
  }

  /** Notes a change that this process has committed; undefined if the shard has no owner now. */
  change(shard: number, owner: ShardOwner | undefined): void {
    this.#changes.set(shard, { owner, after: this.#begun });
    this.#owners = this.#changed(this.#owners);
  }

  /** Begins a read, and returns its number. */
  begin(): number {
    return ++this.#begun;
  }

  /** Takes the result of a read. Returns false if a later read was faster: then it is ignored. */
  take(read: number, owners: ReadonlyMap<number, ShardOwner>): boolean {
    if (read < this.#taken) return false;
    this.#taken = read;
    for (const [shard, { after }] of this.#changes) if (after < read) this.#changes.delete(shard);
    this.#owners = this.#changed(owners);
    return true;
  }

  #changed(owners: ReadonlyMap<number, ShardOwner>): Map<number, ShardOwner> {
    const changed = new Map(owners);
    for (const [shard, { owner }] of this.#changes) {
      if (owner) changed.set(shard, owner);
      else changed.delete(shard);
    }
    return changed;
  }
}
