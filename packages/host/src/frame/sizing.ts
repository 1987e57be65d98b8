/**
 * Derives the height of a frame from the size that its view reports.
 *
 * @module
 */

/** Consecutive growths after which the frame checks for a feedback loop. */
const SUSPICIOUS = 30;
/**
 * Milliseconds by which the frame delays a growth to see whether the view waits for it. There are three
 * different delays: growing content reports at its own pace, but a loop always reports after the frame has
 * grown.
 */
const DELAYS = [400, 700, 1100] as const;
/** Maximum difference between the reactions of a loop, in milliseconds. */
const SPREAD = 150;
/** Maximum height: browsers draw higher frames wrongly, and no user scrolls so far. */
const HIGHEST = 50_000;

/**
 * Follows a view's height. It ignores invalid heights and limits large ones. A view that grows because its
 * frame grew is reset to the height where that started. Growing content may keep growing: after {@link
 * SUSPICIOUS} growths the frame delays a few of them, and only a view that waits for each of them is a loop.
 */
export class Sizing {
  readonly #apply: (height: number) => void;
  #height: number;
  /** Number of consecutive growths, and the height before them. */
  #growths = 0;
  #base = 0;
  /** Allowed consecutive growths before the next check: doubled for a view that passed one. */
  #allowed = SUSPICIOUS;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The delayed height. */
  #delayed: number | undefined;
  /** When the last delayed height was applied. */
  #appliedAt = 0;
  /** Milliseconds from each delayed growth to the view's next report. */
  #reactions: number[] = [];
  /** Set if the view is a loop and was reset, with the height that it reports there. */
  #held: { reported?: number } | undefined;

  /** @param apply - sets the frame's height */
  constructor(height: number, apply: (height: number) => void) {
    this.#height = height;
    this.#apply = apply;
  }

  get height(): number {
    return this.#height;
  }

  /** Handles a reported height. */
  follow(reported: number | undefined, maxHeight: number): void {
    if (reported === undefined || !(reported >= 0)) return;
    const height = Math.min(Math.ceil(reported), maxHeight, HIGHEST);
    if (height === (this.#delayed ?? this.#height) || this.#isReactionOfHeld(height)) return;
    if (this.#delayed !== undefined || height < this.#height) {
      // The view changed by itself, while its frame did not.
      if (this.#delayed !== undefined) this.#allowed *= 2;
      this.#follow(height);
    } else if (++this.#growths < this.#allowed) {
      if (this.#growths === 1) this.#base = this.#height;
      this.#set(height);
    } else this.#check(height);
  }

  /** Stops the timer of a check. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  /** Applies a height outside of a loop. */
  #follow(height: number): void {
    clearTimeout(this.#timer);
    this.#delayed = undefined;
    this.#growths = 0;
    this.#reactions = [];
    this.#set(height);
  }

  /** Delays growths, and compares the view's reaction times. */
  #check(height: number): void {
    if (this.#growths > this.#allowed) this.#reactions.push(performance.now() - this.#appliedAt);
    const isSteady = Math.max(...this.#reactions) - Math.min(...this.#reactions) <= SPREAD;
    const delay = DELAYS[this.#reactions.length];
    if (this.#reactions.length > 1 && !isSteady) {
      this.#allowed *= 2;
      this.#follow(height);
    } else if (delay === undefined) {
      this.#held = {};
      this.#follow(this.#base);
    } else this.#delay(height, delay);
  }

  #delay(height: number, delay: number): void {
    this.#delayed = height;
    this.#timer = setTimeout(() => {
      this.#delayed = undefined;
      this.#appliedAt = performance.now();
      this.#set(height);
    }, delay);
  }

  /** Whether a reset loop grows again from there. Any other height ends the hold. */
  #isReactionOfHeld(height: number): boolean {
    if (!this.#held) return false;
    const { reported = height } = this.#held;
    if (height > this.#height && height === reported) {
      this.#held.reported = height;
      return true;
    }
    this.#held = undefined;
    return false;
  }

  #set(height: number): void {
    this.#height = height;
    this.#apply(height);
  }
}

/** Last heights of views, so that a returning one has its space reserved. */
const heights = new Map<string, number>();
const MAX_HEIGHTS = 500;

/** Remembers a view's height by its address. */
export function keepHeight(src: string, height: number): void {
  heights.delete(src);
  heights.set(src, height);
  const [oldest = src] = heights.keys();
  if (heights.size > MAX_HEIGHTS) heights.delete(oldest);
}

/** The height of a view when it was last shown. */
export const keptHeight = (src: string): number | undefined => heights.get(src);
