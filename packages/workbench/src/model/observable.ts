/**
 * What the page is made of, apart from how it looks: things that change, and say so.
 *
 * @module
 */

/** What is told when nothing is waited for any more; undefined while nothing is. */
let held: { readonly tells: Set<() => void>; count: number } | undefined;

/** Milliseconds that what is around an app is not drawn while the app starts. */
export const APP_START = 100;

/**
 * Nobody hears of changes until this is done, or is late: to draw what is around an app takes the processor from the app that
 * the person waits for. Of several at once, until all are done, or one is late: the page does not stand still for long.
 *
 * @param most milliseconds
 */
export async function quietly(work: Promise<unknown>, most: number): Promise<void> {
  const mine = (held ??= { tells: new Set(), count: 0 });
  mine.count++;
  const end = (): void => {
    if (held !== mine) return;
    held = undefined;
    // Each by itself: one that throws keeps nobody else from hearing.
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

/** Does it now, or once when nothing is waited for any more. */
export function whenCalm(act: () => void): void {
  if (held) held.tells.add(act);
  else act();
}

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
    this.schedule(() => whenCalm(this.#tell));
  }

  readonly #tell = (): void => {
    this.#isScheduled = false;
    this.#version++;
    for (const listener of [...this.#listeners]) listener();
  };

  /** When changes are told: at the end of what is being done. */
  protected schedule(tell: () => void): void {
    queueMicrotask(tell);
  }
}
