/**
 * A set of event listeners.
 *
 * @module
 */

/** A set of listeners. The same function may be added twice; each addition is removed separately. */
export class Listeners<A extends readonly unknown[]> {
  readonly #all = new Set<(...args: A) => void>();
  readonly #onerror: ((error: unknown) => void) | undefined;

  /**
   * @param onerror called with errors that listeners throw; they affect neither other listeners nor the
   * caller
   */
  constructor(onerror?: (error: unknown) => void) {
    this.#onerror = onerror;
  }

  get size(): number {
    return this.#all.size;
  }

  /** Returns a function that removes the listener. */
  add(listener: (...args: A) => void): () => void {
    const own = (...args: A): void => listener(...args);
    this.#all.add(own);
    return () => this.#all.delete(own);
  }

  notify(...args: A): void {
    for (const listener of [...this.#all]) {
      try {
        listener(...args);
      } catch (error) {
        this.#onerror?.(error);
      }
    }
  }

  clear(): void {
    this.#all.clear();
  }
}
