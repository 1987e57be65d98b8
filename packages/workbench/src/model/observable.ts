/**
 * What the page is made of, apart from how it looks: things that change, and say so.
 *
 * @module
 */

/** Something that changes. React hears of it by `useObservable`. */
export class Observable {
  readonly #listeners = new Set<() => void>();
  #version = 0;
  #isScheduled = false;

  /** Another number after every change. */
  get version(): number {
    return this.#version;
  }

  /** Hears of changes, soon after they happened and of many at once. Call what it returns to stop. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** To be called after every change. */
  protected changed(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.schedule(() => {
      this.#isScheduled = false;
      this.#version++;
      for (const listener of [...this.#listeners]) listener();
    });
  }

  /** When changes are told: at the end of what is being done. */
  protected schedule(tell: () => void): void {
    queueMicrotask(tell);
  }
}
