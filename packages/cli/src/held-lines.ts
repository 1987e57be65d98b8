/**
 * Buffered output lines.
 *
 * @module
 */

/** Maximum number of lines. */
const MOST = 1_000;

/** The newest lines, and the number of dropped older ones. */
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
