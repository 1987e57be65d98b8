/**
 * Limits what a user sends, in all sessions together. A page that sends more is throttled; nothing is lost.
 *
 * @module
 */

/** The burst size and the sustained rate of a user. */
export interface InputRates {
  frames: { burst: number; perSecond: number };
  characters: { burst: number; perSecond: number };
}

/** Above the needs of the pages of a user, and low enough that a single user cannot occupy the process. */
export const INPUT_RATES: InputRates = {
  frames: { burst: 10_000, perSecond: 5000 },
  characters: { burst: 134_217_728, perSecond: 33_554_432 },
};

/** Two token buckets: frames and characters. */
export class InputRate {
  readonly #rates: InputRates;
  #frames: number;
  #characters: number;
  #at: number;

  constructor(rates: InputRates, now: number) {
    this.#rates = rates;
    this.#frames = rates.frames.burst;
    this.#characters = rates.characters.burst;
    this.#at = now;
  }

  /** Counts input, and returns the milliseconds to pause reading; usually 0. */
  take(frames: number, characters: number, now: number): number {
    const { frames: frameRate, characters: characterRate } = this.#rates;
    // Setting the clock back adds nothing.
    const seconds = Math.max(0, now - this.#at) / 1000;
    this.#at = now;
    this.#frames = Math.min(frameRate.burst, this.#frames + seconds * frameRate.perSecond) - frames;
    this.#characters =
      Math.min(characterRate.burst, this.#characters + seconds * characterRate.perSecond) - characters;
    const wait = Math.max(-this.#frames / frameRate.perSecond, -this.#characters / characterRate.perSecond);
    return wait > 0 ? Math.ceil(wait * 1000) : 0;
  }
}
