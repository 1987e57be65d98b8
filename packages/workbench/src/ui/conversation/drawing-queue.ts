/**
 * Decides when the blocks of a long conversation are drawn: those near the screen at once, the others from the end to the
 * beginning, each in an idle moment.
 *
 * @module
 */
import { Observable } from "../../model/observable.js";
import { idle } from "../idle.js";

/** Room above and below the screen, as a CSS margin: blocks in it are drawn before they are scrolled to. */
const NEAR = "1500px 0px";

/** Draws a block. `isUrgent` says that the user sees its place, or is about to. */
export type Draw = (isUrgent: boolean) => void;

/** Options of a {@link DrawingQueue}. */
export interface DrawingQueueOptions {
  /** The element that scrolls. */
  scroller(): Element | null;
  /** Resolves when blocks can be drawn in their final form. */
  ready(): Promise<unknown>;
}

/** The blocks that are not drawn yet. Notifies when there are none any more. */
export class DrawingQueue extends Observable {
  readonly #options: DrawingQueueOptions;
  /** In the order of the document. */
  readonly #waiting = new Map<Element, Draw>();
  #near: IntersectionObserver | undefined;
  #isRunning = false;
  /** Number of those who wait for all blocks. */
  #waiters = 0;
  /** Ends the pause before the next block. */
  #wake: (() => void) | undefined;

  constructor(options: DrawingQueueOptions) {
    super();
    this.#options = options;
  }

  /** Whether all blocks are drawn. */
  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  /** Adds the place of a block. Returns a function that removes it. */
  add(place: Element, draw: Draw): () => void {
    this.#near ??= new IntersectionObserver((seen) => this.#seen(seen), {
      root: this.#options.scroller(),
      rootMargin: NEAR,
    });
    this.#waiting.set(place, draw);
    this.#near.observe(place);
    if (this.#waiting.size === 1) this.changed();
    void this.#run();
    return () => this.#remove(place);
  }

  /** Draws without waiting for idle moments. The user's input still comes first. Returns a function that ends it. */
  hurry(): () => void {
    this.#waiters++;
    this.#wake?.();
    return () => void this.#waiters--;
  }

  #seen(seen: readonly IntersectionObserverEntry[]): void {
    for (const { isIntersecting, target } of seen) if (isIntersecting) this.#draw(target, true);
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    await this.#options.ready();
    while (!this.isEmpty) {
      await this.#pause();
      const last = [...this.#waiting.keys()].at(-1);
      if (last) this.#draw(last, false);
    }
    this.#isRunning = false;
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      if (this.#waiters > 0) setTimeout(resolve);
      else void idle().then(() => resolve());
    });
  }

  #draw(place: Element, isUrgent: boolean): void {
    const draw = this.#waiting.get(place);
    this.#remove(place);
    draw?.(isUrgent);
  }

  #remove(place: Element): void {
    this.#near?.unobserve(place);
    if (this.#waiting.delete(place) && this.isEmpty) this.changed();
  }
}
