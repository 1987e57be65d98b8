/**
 * Tracks which pages are connected, with tolerance for reloads.
 *
 * @module
 */

/** Milliseconds after which a disconnected page counts as closed: a reload takes less. */
export const GONE = 3_000;

/** Remembers when each page or view was last seen. */
export class Presence {
  readonly #seen = new Map<string, number>();

  seen(name: string): void {
    this.#seen.set(name, performance.now());
  }

  /** Whether it is connected, or was a moment ago. */
  isThere(name: string): boolean {
    const at = this.#seen.get(name);
    if (at === undefined) return false;
    const isThere = performance.now() - at < GONE;
    if (!isThere) this.#seen.delete(name);
    return isThere;
  }
}
