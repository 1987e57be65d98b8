/**
 * What this page wants done and cannot do itself, for somebody outside who can.
 *
 * @module
 */
import type { RenderAct } from "../node/render-page.js";

/** One act at a time: given in here, fetched and ended from outside. */
export class Commissions {
  #waiting: { readonly act: RenderAct; readonly ended: (problem?: string) => void } | undefined;
  #isOver = false;
  #look: (() => void) | undefined;

  /** Resolves when it was done, with why it could not be. */
  give(act: RenderAct): Promise<string | undefined> {
    return new Promise((ended) => {
      this.#waiting = { act, ended };
      this.#look?.();
    });
  }

  /** Waits for the next one; undefined when there are no more. */
  async next(): Promise<RenderAct | undefined> {
    while (!this.#waiting && !this.#isOver)
      await new Promise<void>((resolve) => {
        this.#look = resolve;
      });
    return this.#isOver ? undefined : this.#waiting?.act;
  }

  ended(problem?: string): void {
    const { ended } = this.#waiting ?? {};
    this.#waiting = undefined;
    ended?.(problem);
  }

  /** There are no more. */
  end(): void {
    this.#isOver = true;
    this.#look?.();
  }
}
