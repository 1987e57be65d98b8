/**
 * Lines that wait to be printed.
 *
 * @module
 */

/** More lines than a person reads after a question. */
const MOST = 1_000;

/** The newest lines, and how many older ones were dropped. */
export class HeldLines {
  readonly #lines: string[] = [];
  #dropped = 0;

  add(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length <= MOST) return;
    this.#lines.shift();
    this.#dropped++;
  }

  lines(): string[] {
    return this.#dropped === 0
      ? [...this.#lines]
      : [`(${this.#dropped} older lines were dropped while a question was open)`, ...this.#lines];
  }
}
