/**
 * Finds sign-ins of other nodes. Requests with unknown cookies must not become load of the database, so lookups are
 * bounded.
 *
 * @module
 */
import { GatewayError } from "@vitrine/wire";
import type { SharedBrowser, StoredSignIns } from "../store/shared/stored-sign-ins.js";

/** Maximum simultaneous lookups of this node, and lookups that wait for them. */
const AT_ONCE = 4;
const MAX_WAITING = 1000;
/** Maximum remembered browsers that do not exist. New browsers have new ids, so this never hides one. */
const MAX_ABSENT = 10_000;

/** The part of {@link StoredSignIns} that lookups use. */
export type SignInSource = Pick<StoredSignIns, "browser" | "isCurrent">;

/** Lookups of browsers. */
export class SharedBrowsers {
  readonly #source: SignInSource;
  readonly #idle: number;
  readonly #running = new Map<string, Promise<SharedBrowser | undefined>>();
  readonly #absent = new Set<string>();
  readonly #queue: (() => void)[] = [];
  #count = 0;

  constructor(source: SignInSource, idle: number) {
    this.#source = source;
    this.#idle = idle;
  }

  /** Whether the database may have this browser. */
  mayExist(browser: string): boolean {
    return !this.#absent.has(browser);
  }

  /** Records that a browser has ended, also for lookups that have just read it. */
  ended(browser: string): void {
    this.#absent.delete(browser);
    this.#absent.add(browser);
    for (const oldest of this.#absent) {
      if (this.#absent.size <= MAX_ABSENT) break;
      this.#absent.delete(oldest);
    }
  }

  /**
   * Looks a browser up. Simultaneous lookups of the same one share a single query.
   *
   * @throws {GatewayError} if the database does not answer, or too many lookups wait
   */
  find(browser: string): Promise<SharedBrowser | undefined> {
    const running = this.#running.get(browser);
    if (running) return running;
    const found = this.#find(browser).finally(() => this.#running.delete(browser));
    this.#running.set(browser, found);
    return found;
  }

  async #find(browser: string): Promise<SharedBrowser | undefined> {
    if (!this.mayExist(browser)) return undefined;
    await this.#turn();
    try {
      const found = await this.#source.browser(browser, this.#idle);
      if (!found) this.ended(browser);
      // It may have been signed out while the answer was on its way.
      return this.mayExist(browser) ? found : undefined;
    } finally {
      const next = this.#queue.shift();
      if (next) next();
      else this.#count--;
    }
  }

  async #turn(): Promise<void> {
    if (this.#queue.length >= MAX_WAITING)
      throw new GatewayError("overloaded", "too many browsers sign in at the same time: try again soon");
    // Whoever ends passes the place on to the next.
    if (this.#count >= AT_ONCE) await new Promise<void>((resolve) => this.#queue.push(resolve));
    else this.#count++;
  }
}
