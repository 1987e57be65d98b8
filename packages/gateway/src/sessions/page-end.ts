/**
 * The end of a page.
 *
 * @module
 */

/** Whether a page has ended. The signal is made when something waits for it, because an idle page would keep it for nothing. */
export class PageEnd {
  #controller: AbortController | undefined;
  #isOver = false;

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Aborts when the page ends. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isOver) this.#controller.abort();
    return this.#controller.signal;
  }

  end(): void {
    this.#isOver = true;
    this.#controller?.abort();
  }
}
