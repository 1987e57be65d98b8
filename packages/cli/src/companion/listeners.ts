/**
 * Who hears of something.
 *
 * @module
 */

/** A set of listeners. One that throws keeps no other from hearing. */
export class Listeners<T> {
  readonly #all = new Set<(value: T) => void>();

  /** Adds one; returns how to take it back. */
  add(listener: (value: T) => void): () => void {
    // The same function may be added twice, and each is taken back by itself.
    const own = (value: T): void => listener(value);
    this.#all.add(own);
    return () => void this.#all.delete(own);
  }

  tell(value: T): void {
    let fault: unknown;
    for (const listener of [...this.#all]) {
      try {
        listener(value);
      } catch (error) {
        fault ??= error;
      }
    }
    if (fault !== undefined) throw fault;
  }
}
