/**
 * Divides a long conversation into blocks. The browser skips a block that is far from the screen as a whole:
 * with thousands of entries, looking at each of them in every frame takes longer than the frame.
 *
 * @module
 */

/** Number of entries after which a new block begins. */
const SIZE = 10;

/** Consecutive entries. */
export interface EntryBlock<T> {
  readonly id: number;
  readonly entries: readonly T[];
}

/** An entry stays in its block, whatever is added or removed: an app that is moved in the page reloads. */
export class EntryBlocks<T> {
  readonly #keyOf: (entry: T) => string;
  #blocks: ReadonlyMap<string, number> = new Map();
  #divided: ReadonlyMap<number, EntryBlock<T>> = new Map();
  #last = 0;

  constructor(keyOf: (entry: T) => string) {
    this.#keyOf = keyOf;
  }

  /** The blocks of these entries, in their order. A block with the same entries as before is the same object. */
  divide(entries: readonly T[]): EntryBlock<T>[] {
    const before = this.#blocks;
    const now = new Map<string, number>();
    const divided: { id: number; entries: T[] }[] = [];
    const used = new Set<number>();
    for (const entry of entries) {
      const key = this.#keyOf(entry);
      const current = divided.at(-1);
      const known = before.get(key);
      // A block appears once: an entry that changed its place joins the block around it.
      const own = known !== undefined && (known === current?.id || !used.has(known)) ? known : undefined;
      const id =
        own ??
        (current && (known !== undefined || current.entries.length < SIZE) ? current.id : ++this.#last);
      now.set(key, id);
      used.add(id);
      if (current?.id === id) current.entries.push(entry);
      else divided.push({ id, entries: [entry] });
    }
    this.#blocks = now;
    const blocks = divided.map((block) => {
      const old = this.#divided.get(block.id);
      return old && isEqual(old.entries, block.entries) ? old : block;
    });
    this.#divided = new Map(blocks.map((block) => [block.id, block]));
    return blocks;
  }
}

const isEqual = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((each, at) => each === b[at]);
