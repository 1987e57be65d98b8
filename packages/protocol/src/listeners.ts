/**
 * A set of event listeners.
 *
 * @module
 */

/**
 * A set of listeners. The same function may be added twice; each addition is removed separately.
 *
 * @example
 * ```ts source="./protocol.examples.ts#listeners"
 * const saved = new Listeners<[path: string]>(log);
 * const stop = saved.add((path) => show(path));
 * saved.notify("notes.txt");
 * stop();
 * ```
 */
export class Listeners<A extends readonly unknown[] = []> {
  readonly #all = new Set<(...args: A) => unknown>();
  readonly #onerror: (error: unknown) => void;

  /**
   * @param onerror called with errors that listeners throw, now or later; they affect neither other listeners
   * nor the caller. By default they are uncaught errors, as with `EventTarget`.
   */
  constructor(onerror: (error: unknown) => void = reportUncaught) {
    this.#onerror = onerror;
  }

  get size(): number {
    return this.#all.size;
  }

  /** Adds a listener, and returns a function that removes it. */
  add(listener: (...args: A) => unknown): () => void {
    const own = (...args: A): unknown => listener(...args);
    this.#all.add(own);
    return () => this.#all.delete(own);
  }

  /** Calls the listeners in the order they were added. */
  notify(...args: A): void {
    for (const listener of [...this.#all]) (async () => listener(...args))().catch(this.#onerror);
  }

  /** Removes all listeners. */
  clear(): void {
    this.#all.clear();
  }
}

/** Reports an error like one that nobody caught. */
function reportUncaught(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
