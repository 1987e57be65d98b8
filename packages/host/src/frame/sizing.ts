/**
 * From the size that a view reports to the height of its frame.
 *
 * @module
 */

/** Steps of one length after which growth is a loop: a view that follows its frame's height by a constant. */
const LOOP = 30;

/**
 * Follows a view's height (I08, attack C13): what is no height is ignored, what is too high is cut, and a view that
 * grows because its frame grew is held where it began.
 */
export class Sizing {
  #height: number;
  #step = 0;
  #steps = 0;
  #base = 0;

  constructor(height: number) {
    this.#height = height;
  }

  get height(): number {
    return this.#height;
  }

  /** The frame's new height, or undefined when it stays. */
  follow(reported: number | undefined, maxHeight: number): number | undefined {
    if (reported === undefined || reported < 0) return undefined;
    // No frame is higher than this, whatever its host allows: browsers draw it wrongly, and nobody scrolls so far.
    const height = Math.min(Math.ceil(reported), maxHeight, 50_000);
    const step = height - this.#height;
    if (step === 0) return undefined;
    if (step > 0 && step === this.#step) this.#steps++;
    else {
      this.#steps = 1;
      this.#base = this.#height;
    }
    this.#step = step;
    if (this.#steps < LOOP) return (this.#height = height);
    if (this.#steps > LOOP) {
      // Still growing by the same step: it follows the height that it was held at.
      this.#steps = LOOP;
      return undefined;
    }
    return (this.#height = this.#base);
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
