/**
 * From the size that a view reports to the height of its frame.
 *
 * @module
 */

/** Reports of growth in a row after which the frame looks for a feedback loop. */
const SUSPICIOUS = 30;
/**
 * Milliseconds by which the frame delays a growth to see whether the view waits for it. Three different delays: the
 * reports of a log come at its own pace, those of a loop always come after the frame has grown.
 */
const DELAYS = [400, 700, 1100] as const;
/** Milliseconds by which the reactions of a loop may differ. */
const SPREAD = 150;
/** Browsers draw higher frames wrongly, and nobody scrolls so far. */
const HIGHEST = 50_000;

/**
 * Follows a view's height (I08, attack C13). It ignores what is no height and cuts what is too high. A view that grows
 * because its frame grew is put back to the height where that began. A view whose content grows keeps growing: after
 * {@link SUSPICIOUS} growths the frame delays a few of them, and only a view that waits for each of them is a loop.
 */
export class Sizing {
  readonly #apply: (height: number) => void;
  #height: number;
  /** Growths in a row, and the height before the first of them. */
  #growths = 0;
  #base = 0;
  /** Growths in a row that are allowed before the next check: doubled for a view that passed one. */
  #allowed = SUSPICIOUS;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The height that is being delayed. */
  #delayed: number | undefined;
  /** When the last delayed height was applied. */
  #appliedAt = 0;
  /** Milliseconds from each delayed growth to the view's next report. */
  #reactions: number[] = [];
  /** The view is a loop and was put back; with the height that it reports there. */
  #held: { reported?: number } | undefined;

  /** @param apply - Gives the frame another height. */
  constructor(height: number, apply: (height: number) => void) {
    this.#height = height;
    this.#apply = apply;
  }

  get height(): number {
    return this.#height;
  }

  /** The view reports a height. */
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

  /** Applies a height that is no part of a loop. */
  #follow(height: number): void {
    clearTimeout(this.#timer);
    this.#delayed = undefined;
    this.#growths = 0;
    this.#reactions = [];
    this.#set(height);
  }

  /** Delays growths, and compares how long the view takes to grow again. */
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

  /** Whether a loop that was put back grows again from there. Any other height ends the hold. */
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

/** Heights of views that were shown, so that one that comes back has its place before it is there. */
const heights = new Map<string, number>();
const MAX_HEIGHTS = 500;

/** Remembers a view's height by its address. */
export function keepHeight(src: string, height: number): void {
  heights.delete(src);
  heights.set(src, height);
  const [oldest = src] = heights.keys();
  if (heights.size > MAX_HEIGHTS) heights.delete(oldest);
}

/** The height that a view had when it was last shown. */
export const keptHeight = (src: string): number | undefined => heights.get(src);
