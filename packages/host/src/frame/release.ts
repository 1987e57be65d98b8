/**
 * Which apps of a page run. Apps on the screen and near it always do; of the others only a few, so that a
 * conversation with hundreds of apps needs the memory of a short one.
 *
 * @module
 */

import type { AppDetails } from "@vitrine/guard";
import { RELEASE_KEY } from "@vitrine/protocol";

/** An app that can be released and brought back. */
export interface Releasable {
  /** The element that is near the screen, or far from it. It stays in its place. */
  readonly place: Element;
  /** Whether releasing it now would lose nothing. */
  mayRelease(): boolean;
  /** Its turn has come: starts loading. */
  start(): void;
  /** Stops it, and resolves when it has stopped. Its place keeps its size. */
  release(): Promise<void>;
  /** It is near the screen again: enters the budget again, if it still wants to. */
  restore(): void;
}

interface Entry {
  readonly app: Releasable;
  state: "waiting" | "running" | "releasing" | "released";
  /** By the observer, or by the layout before the observer has looked. */
  isNear?: boolean;
  /** When it was near the screen for the last time, as a count of changes. */
  seen: number;
}

/** Pages of the screen above and below it within which apps run. */
const NEAR = 1;
/** Milliseconds after which apps that could not be released are tried again. */
const AGAIN = 5000;

/** Devices with little memory keep fewer. */
const memory = (globalThis.navigator as { deviceMemory?: number } | undefined)?.deviceMemory ?? 8;

/** The budget of a page. */
export class AppBudget {
  readonly #entries = new Map<Element, Entry>();
  #observer: IntersectionObserver | undefined;
  #count = 0;
  #isPlanned = false;
  #again: ReturnType<typeof setTimeout> | undefined;
  #most = memory < 4 ? 4 : 8;

  /** Maximum number of apps that run far from the screen. `Infinity` releases none. */
  get most(): number {
    return this.#most;
  }
  set most(most: number) {
    this.#most = most;
    this.#plan();
  }

  /** Adds an app that wants to start: it is started, or released until it is near the screen. */
  enter(app: Releasable): void {
    const { place } = app;
    const known = this.#entries.get(place);
    if (known) known.state = "waiting";
    else {
      this.#entries.set(place, { app, state: "waiting", seen: 0 });
      this.#watch().observe(place);
    }
    this.#plan();
  }

  /** Forgets an app that was removed, closed, or has failed. */
  leave({ place }: Releasable): void {
    if (!this.#entries.delete(place)) return;
    this.#observer?.unobserve(place);
    this.#plan();
  }

  #watch(): IntersectionObserver {
    // `scrollMargin` is also for conversations that scroll inside the page; without it, apps there start when they
    // come into sight. Both together would add up.
    const name = "scrollMargin" in IntersectionObserver.prototype ? "scrollMargin" : "rootMargin";
    return (this.#observer ??= new IntersectionObserver(
      (changes) => {
        for (const { target, isIntersecting } of changes) this.#note(target, isIntersecting);
        this.#plan();
      },
      { [name]: `${NEAR * 100}% 0px` },
    ));
  }

  #note(target: Element, isNear: boolean): void {
    const entry = this.#entries.get(target);
    if (!entry) return;
    if (entry.isNear || isNear) entry.seen = ++this.#count;
    entry.isNear = isNear;
  }

  /** Deferred, so that apps that are added together are compared. */
  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    queueMicrotask(() => {
      this.#isPlanned = false;
      this.#settle();
    });
  }

  #settle(): void {
    const entries = [...this.#entries.values()];
    const waiting = entries
      .filter(({ state }) => state === "waiting")
      .map((entry) => ({ entry, away: away(entry) }));
    let room = this.#most;
    for (const { state, isNear } of entries) if (state === "running" && !isNear) room--;
    // The nearest first.
    for (const { entry, away } of waiting.sort((a, b) => a.away - b.away)) {
      const isNear = (entry.isNear ??= away <= NEAR);
      if (isNear || room > 0 || !entry.app.mayRelease()) {
        if (!isNear) room--;
        entry.state = "running";
        entry.app.start();
      } else void this.#release(entry);
    }
    for (const entry of entries) if (entry.state === "released" && entry.isNear) entry.app.restore();
    if (room < 0) this.#shrink(entries, -room);
  }

  /** Releases those that were far from the screen for the longest time. */
  #shrink(entries: Entry[], excess: number): void {
    const far = entries.filter(
      ({ state, isNear, app }) => state === "running" && !isNear && app.mayRelease(),
    );
    for (const entry of far.sort((a, b) => a.seen - b.seen).slice(0, excess)) void this.#release(entry);
    clearTimeout(this.#again);
    if (far.length < excess) this.#again = setTimeout(() => this.#plan(), AGAIN);
  }

  async #release(entry: Entry): Promise<void> {
    entry.state = "releasing";
    await entry.app.release();
    if (entry.state !== "releasing") return;
    entry.state = "released";
    this.#plan();
  }
}

/** Milliseconds after the user's last action in an app in which it is not released. */
const USED = 10_000;

/**
 * Whether a release could lose what the user did in an app: typed text, an open tab, a playing song. An app that
 * the user has used is released only if it says that it restores its state.
 */
export function mayLose(app: AppDetails | undefined, usedAt: number | undefined): boolean {
  const { when } = Object(app?.appCapabilities.experimental?.[RELEASE_KEY]);
  if (when === "never" || usedAt === undefined) return when === "never";
  return when !== "always" || performance.now() - usedAt < USED;
}

/** The distance of an app from the screen, in screens. Apps that are not laid out are far away. */
function away({ app: { place } }: Entry): number {
  const { width, top, bottom } = place.getBoundingClientRect();
  return width > 0 ? Math.max(top - innerHeight, -bottom, 0) / innerHeight : Number.POSITIVE_INFINITY;
}

/** The budget of this page. */
export const budget = new AppBudget();

/**
 * The budget of this page: how many apps run far from the screen, eight by default. `Infinity` releases none.
 *
 * @example
 * ```ts source="../frame.examples.ts#appBudget"
 * // Apps of this page that run far from the screen. `Infinity` releases none.
 * appBudget.most = 20;
 * // This one always runs.
 * app.toggleAttribute("keep", true);
 * app.addEventListener("released", () => app.classList.add("resting"));
 * app.addEventListener("restored", () => app.classList.remove("resting"));
 * ```
 */
export const appBudget: { most: number } = {
  get most() {
    return budget.most;
  },
  set most(most) {
    budget.most = most;
  },
};
