/**
 * Which frames load now. A browser that starts fifty apps at once shows none of them for seconds; a few at a time,
 * those on screen first, the first is there as fast as if it were alone.
 *
 * @module
 */

/** A frame that waits for its turn. */
export interface Mount {
  /** Whether a person would see it. */
  isVisible(): boolean;
  /** Begins to load. */
  start(): void;
}

/** Lets a few frames load at a time. */
export class MountQueue {
  readonly #limit: number;
  readonly #waiting = new Set<Mount>();
  readonly #loading = new Set<Mount>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Asks for a turn; call {@link leave} when it loaded, failed or is no longer wanted. */
  enter(mount: Mount): void {
    this.#waiting.add(mount);
    // Those that come together are compared, and not served as they come.
    queueMicrotask(() => this.#next());
  }

  leave(mount: Mount): void {
    this.#waiting.delete(mount);
    if (this.#loading.delete(mount)) this.#next();
  }

  #next(): void {
    while (this.#loading.size < this.#limit) {
      const waiting = [...this.#waiting];
      const isVisible = (each: Mount): boolean => each.isVisible();
      // What nobody sees does not begin beside what somebody waits for.
      const mount = waiting.find(isVisible) ?? ([...this.#loading].some(isVisible) ? undefined : waiting[0]);
      if (!mount) return;
      this.#waiting.delete(mount);
      this.#loading.add(mount);
      mount.start();
    }
  }
}

/** The queue of this page. */
export const mounts = new MountQueue(3);
