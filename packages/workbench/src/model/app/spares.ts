/**
 * Preloads apps that are likely to be shown again.
 *
 * @module
 */
import type { ViewPlace } from "@vitrine/wire";

/** Maximum number of preloaded apps. */
const MOST = 3;

/** Preloads an app, or starts it in the background; returns a function that releases it. */
export type Warm = (place: ViewPlace, options: { run: boolean }) => () => void;

/** An app that was shown. */
interface Shown {
  readonly place: ViewPlace;
  /** Releases the preloaded one. */
  drop?: (() => void) | undefined;
}

/**
 * The last shown apps, of different tools: a conversation that used an app probably uses it again. The last
 * one is started and waits for its host; the others are only loaded.
 */
export class Spares {
  readonly #warm: Warm | undefined;
  /** By tool, the last one at the end. */
  readonly #shown = new Map<string, Shown>();

  constructor(warm: Warm | undefined) {
    this.#warm = warm;
  }

  /** Records that the app of a tool is shown. */
  shown(server: string, tool: string, place: ViewPlace): void {
    const key = JSON.stringify([server, tool]);
    const before = this.#shown.get(key);
    this.#shown.delete(key);
    // A changed document makes the previous one obsolete.
    if (before && before.place.src !== place.src) before.drop?.();
    this.#shown.set(key, { place, drop: before?.drop });
    const [oldest] = this.#shown.keys();
    if (this.#shown.size > MOST && oldest !== undefined) this.#forget(oldest);
  }

  /** A call is about to happen. */
  expect(): void {
    const all = [...this.#shown.values()];
    for (const each of all) each.drop = this.#warm?.(each.place, { run: each === all.at(-1) });
  }

  /** Releases everything. */
  clear(): void {
    for (const key of [...this.#shown.keys()]) this.#forget(key);
  }

  #forget(key: string): void {
    this.#shown.get(key)?.drop?.();
    this.#shown.delete(key);
  }
}
