/**
 * Who is there, and who may be back in a moment.
 *
 * @module
 */

/** Milliseconds after which a page that went away is closed: one that is loaded again is back before. */
export const GONE = 3_000;

/** Remembers when each page or view was seen last. */
export class Presence {
  readonly #seen = new Map<string, number>();

  seen(name: string): void {
    this.#seen.set(name, performance.now());
  }

  /** It is there, or was a moment ago. */
  isThere(name: string): boolean {
    const at = this.#seen.get(name);
    if (at === undefined) return false;
    const isThere = performance.now() - at < GONE;
    if (!isThere) this.#seen.delete(name);
    return isThere;
  }
}
