/**
 * Which frames load now. A browser that starts fifty apps at once shows none of them for seconds; a few at a time,
 * those on screen first, the first is there as fast as if it were alone.
 *
 * @module
 */

/** A frame that waits for its turn. */
export interface Mount {
  /** Whether it is visible to the user. */
  isVisible(): boolean;
  /** Starts loading. */
  start(): void;
}

/** Loads a few frames at a time. */
export class MountQueue {
  readonly #most: number;
  readonly #visible: number;
  readonly #waiting = new Set<Mount>();
  readonly #loading = new Set<Mount>();

  /**
   * @param most - maximum number of loading frames
   * @param visible - maximum of visible ones among them: the first should not wait for the others
   */
  constructor(most: number, visible: number) {
    this.#most = most;
    this.#visible = visible;
  }

  /** Requests a turn; call {@link leave} when it loaded, failed or is no longer wanted. */
  enter(mount: Mount): void {
    this.#waiting.add(mount);
    // Deferred, so that frames that are added together are compared.
    queueMicrotask(() => this.#next());
  }

  leave(mount: Mount): void {
    this.#waiting.delete(mount);
    if (this.#loading.delete(mount)) this.#next();
  }

  #next(): void {
    const seen = (mounts: Set<Mount>): Mount[] => [...mounts].filter((each) => each.isVisible());
    while (this.#loading.size < this.#most) {
      const [first] = seen(this.#waiting);
      // Invisible frames do not start beside visible ones that are still loading.
      const mount = first ?? [...this.#waiting][0];
      if (!mount || seen(this.#loading).length >= (first ? this.#visible : 1)) return;
      this.#waiting.delete(mount);
      this.#loading.add(mount);
      mount.start();
    }
  }
}

/** Starting an app keeps one core busy, and half of another: the page's and the browser's own work. */
const cores = globalThis.navigator?.hardwareConcurrency ?? 4;

/** The queue of this page. */
export const mounts = new MountQueue(cores + 1, cores / 2);
