/**
 * Those who want to hear of something.
 *
 * @module
 */

/** Any number of listeners; the same function may be there twice, and each leaves for itself (D3, D4). */
export class Listeners<A extends readonly unknown[]> {
  readonly #all = new Set<(...args: A) => void>();
  readonly #onerror: ((error: unknown) => void) | undefined;

  /** @param onerror hears what a listener threw: that stops neither the others nor whoever tells them */
  constructor(onerror?: (error: unknown) => void) {
    this.#onerror = onerror;
  }

  get size(): number {
    return this.#all.size;
  }

  /** Returns how to stop. */
  add(listener: (...args: A) => void): () => void {
    const own = (...args: A): void => listener(...args);
    this.#all.add(own);
    return () => this.#all.delete(own);
  }

  tell(...args: A): void {
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
