/**
 * Apps that are likely to be shown again, made ready before anybody asks for them.
 *
 * @module
 */
import type { ViewPlace } from "@vitrine/wire";

/** Apps that are kept ready: whoever works with more at a time waits for the others. */
const MOST = 3;

/** Makes an app quick to show, or starts it out of sight; returns what lets it go. */
export type Warm = (place: ViewPlace, options: { run: boolean }) => () => void;

/** An app that was shown. */
interface Shown {
  readonly place: ViewPlace;
  /** Lets go of the one that was made ready. */
  drop?: (() => void) | undefined;
}

/**
 * The apps that were shown last, of different tools: a conversation in which something was drawn goes on to draw. The last
 * one is started, and waits for its host; of the others nothing is run.
 */
export class Spares {
  readonly #warm: Warm | undefined;
  /** By their tool, the last one at the end. */
  readonly #shown = new Map<string, Shown>();

  constructor(warm: Warm | undefined) {
    this.#warm = warm;
  }

  /** The app of a tool is shown here. */
  shown(server: string, tool: string, place: ViewPlace): void {
    const key = JSON.stringify([server, tool]);
    const before = this.#shown.get(key);
    this.#shown.delete(key);
    // Of a document that has changed, the one before is not shown again.
    if (before && before.place.src !== place.src) before.drop?.();
    this.#shown.set(key, { place, drop: before?.drop });
    const [oldest] = this.#shown.keys();
    if (this.#shown.size > MOST && oldest !== undefined) this.#forget(oldest);
  }

  /** Something is about to be called. */
  expect(): void {
    const all = [...this.#shown.values()];
    for (const each of all) each.drop = this.#warm?.(each.place, { run: each === all.at(-1) });
  }

  /** Nothing of this is to be shown again. */
  clear(): void {
    for (const key of [...this.#shown.keys()]) this.#forget(key);
  }

  #forget(key: string): void {
    this.#shown.get(key)?.drop?.();
    this.#shown.delete(key);
  }
}
