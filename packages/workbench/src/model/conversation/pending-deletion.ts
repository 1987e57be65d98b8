/**
 * Deletions that the user can still take back.
 *
 * @module
 */
import type { Item } from "./conversation-mirror.js";

/** Milliseconds until a deletion happens. */
export const UNDO_TIME = 8_000;

/** Options of {@link PendingDeletion}. */
export interface PendingDeletionOptions {
  remove(item: Item): Promise<void>;
  onchange(): void;
}

/** Entries that disappear at once, and are removed some seconds later. */
export class PendingDeletion {
  readonly #options: PendingDeletionOptions;
  #items: readonly Item[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: PendingDeletionOptions) {
    this.#options = options;
  }

  get items(): readonly Item[] {
    return this.#items;
  }

  /** Adds an entry; the time begins again for all. */
  add(item: Item): void {
    this.#items = [...this.#items, item];
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.finish(), UNDO_TIME);
    this.#options.onchange();
  }

  undo(): void {
    clearTimeout(this.#timer);
    this.#items = [];
    this.#options.onchange();
  }

  /** Removes the entries now. Each stays hidden until it is gone. */
  async finish(): Promise<void> {
    clearTimeout(this.#timer);
    const going = this.#items;
    await Promise.all(going.map((item) => this.#options.remove(item)));
    this.#items = this.#items.filter((item) => !going.includes(item));
    this.#options.onchange();
  }
}
