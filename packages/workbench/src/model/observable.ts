/**
 * Base of the page's models: observable objects.
 *
 * @module
 */
import { Listeners } from "@vitrine/protocol";

/** Notifications that are held back; undefined while none are. */
let held: { readonly tells: Set<() => void>; count: number } | undefined;

/** Milliseconds for which surrounding UI is not drawn while an app starts. */
export const APP_START = 100;

/**
 * Holds back notifications until the work is done or the limit has passed: drawing the surrounding UI would
 * take the processor from the app that the user waits for. With several at once, until all are done or one
 * reaches its limit, so that the page does not freeze for long.
 *
 * @param most milliseconds
 */
export async function quietly(work: Promise<unknown>, most: number): Promise<void> {
  const mine = (held ??= { tells: new Set(), count: 0 });
  mine.count++;
  const end = (): void => {
    if (held !== mine) return;
    held = undefined;
    // Separate microtasks, so that an error in one does not affect others.
    for (const tell of mine.tells) queueMicrotask(tell);
  };
  const late = setTimeout(end, most);
  try {
    await work;
  } finally {
    clearTimeout(late);
    if (--mine.count === 0) end();
  }
}

/** Runs now, or once after notifications are no longer held back. */
export function whenCalm(act: () => void): void {
  if (held) held.tells.add(act);
  else act();
}

/** An observable object. React uses it through `useObservable`. */
export class Observable {
  readonly #listeners = new Listeners();
  #version = 0;
  #isScheduled = false;

  /** Changes with every change. */
  get version(): number {
    return this.#version;
  }

  /** Adds a listener, called shortly after one or more changes. Returns a function that removes it. */
  readonly subscribe = (listener: () => void): (() => void) => this.#listeners.add(listener);

  /** Call after every change. */
  protected changed(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.schedule(() => whenCalm(this.#tell));
  }

  readonly #tell = (): void => {
    this.#isScheduled = false;
    this.#version++;
    this.#listeners.notify();
  };

  /** When listeners are notified: at the end of the current task. */
  protected schedule(tell: () => void): void {
    queueMicrotask(tell);
  }
}
