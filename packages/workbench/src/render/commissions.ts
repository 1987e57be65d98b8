/**
 * Actions that this page requests from the command, because it cannot perform them itself.
 *
 * @module
 */
import type { RenderAct } from "../node/render-page.js";

/** Only one action at a time: requested here, fetched and completed from outside. */
export class Commissions {
  #waiting: { readonly act: RenderAct; readonly ended: (problem?: string) => void } | undefined;
  #isOver = false;
  #look: (() => void) | undefined;

  /** Resolves when it was performed, with the reason if it failed. */
  give(act: RenderAct): Promise<string | undefined> {
    return new Promise((ended) => {
      this.#waiting = { act, ended };
      this.#look?.();
    });
  }

  /** Waits for the next one; undefined at the end. */
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
