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
  readonly #most: number;
  readonly #visible: number;
  readonly #waiting = new Set<Mount>();
  readonly #loading = new Set<Mount>();

  /**
   * @param most - Frames that load at a time.
   * @param visible - Of those, how many that somebody looks at: the first of them should not wait for the others.
   */
  constructor(most: number, visible: number) {
    this.#most = most;
    this.#visible = visible;
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
    const seen = (mounts: Set<Mount>): Mount[] => [...mounts].filter((each) => each.isVisible());
    while (this.#loading.size < this.#most) {
      const [first] = seen(this.#waiting);
      // What nobody sees does not begin beside what somebody waits for.
      const mount = first ?? [...this.#waiting][0];
      if (!mount || seen(this.#loading).length >= (first ? this.#visible : 1)) return;
      this.#waiting.delete(mount);
      this.#loading.add(mount);
      mount.start();
    }
  }
}

/** What starts an app is work for one core, and half as much for another: the page's and the browser's own. */
const cores = globalThis.navigator?.hardwareConcurrency ?? 4;

/** The queue of this page. */
export const mounts = new MountQueue(cores + 1, cores / 2);
