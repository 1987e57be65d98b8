/**
 * Event listeners.
 *
 * @module
 */

/** A set of listeners. An error in one does not affect the others. */
export class CompanionListeners<T> {
  readonly #all = new Set<(value: T) => void>();

  /** Adds a listener; returns a function that removes it. */
  add(listener: (value: T) => void): () => void {
    // Wrapped, so that the same function can be added twice and removed separately.
    const own = (value: T): void => listener(value);
    this.#all.add(own);
    return () => void this.#all.delete(own);
  }

  notify(value: T): void {
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
