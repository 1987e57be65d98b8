/**
 * Sends many small notifications to a page in batches, and drops the oldest while the page reads too slowly.
 *
 * @module
 */

/** Options of {@link NoticeBatches}. */
export interface NoticeBatchesOptions<T> {
  /** Sends entries, in order. `dropped` is the number of entries that were lost before them. */
  send(entries: T[], dropped: number): void;
  /** Whether the send queue is above its high-water mark. */
  isCongested(): boolean;
  /** Characters that are kept for a page that does not read; {@link MOST_KEPT} by default. */
  readonly kept?: number | undefined;
}

/** Milliseconds between batches. */
const PAUSE = 50;
/** Characters of one batch, and of all entries that wait. */
const MOST_SENT = 500_000;
const MOST_KEPT = 4_000_000;

/** The entries that wait for the next batch: a ring whose size is bounded in characters. */
export class NoticeBatches<T> {
  readonly #options: NoticeBatchesOptions<T>;
  #waiting: { readonly entry: T; readonly size: number }[] = [];
  #size = 0;
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: NoticeBatchesOptions<T>) {
    this.#options = options;
  }

  /** Adds an entry of `size` characters. */
  add(entry: T, size: number): void {
    this.#waiting.push({ entry, size });
    this.#size += size;
    const { kept = MOST_KEPT } = this.#options;
    let gone = 0;
    while (this.#size > kept && gone < this.#waiting.length - 1) {
      this.#size -= this.#waiting[gone]?.size ?? 0;
      gone++;
    }
    if (gone > 0) this.#waiting = this.#waiting.slice(gone);
    this.#dropped += gone;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.flush();
    }, PAUSE).unref();
  }

  /** Sends what waits, as far as the page reads. */
  flush(): void {
    const { send, isCongested } = this.#options;
    while (this.#waiting.length > 0 && !isCongested()) {
      let count = 0;
      let size = 0;
      for (const each of this.#waiting) {
        if (count > 0 && size + each.size > MOST_SENT) break;
        size += each.size;
        count++;
      }
      const sent = this.#waiting.slice(0, count).map(({ entry }) => entry);
      const dropped = this.#dropped;
      this.#waiting = this.#waiting.slice(count);
      this.#size -= size;
      this.#dropped = 0;
      send(sent, dropped);
    }
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#waiting = [];
    this.#size = 0;
  }
}
