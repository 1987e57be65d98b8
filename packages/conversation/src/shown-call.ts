/**
 * One call, as a view hears of it.
 *
 * @module
 */

import { type CallToolResult, PARTIAL_INTERVAL, PartialJson, type Progress } from "@vitrine/protocol";
import type { Clock } from "@vitrine/servers/support";
import type { CallItem } from "@vitrine/wire";

/** Hears of a call: partial input as often as it comes, its input once, and then once how it ended. */
export interface CallHearer {
  partial(input: Record<string, unknown>): void;
  input(input: Record<string, unknown>): void;
  progress(progress: Progress): void;
  result(result: CallToolResult): void;
  /** There will be no result. */
  cancelled(reason: string): void;
  /** There was a result, and nobody holds it any more: who was told of it, and has kept it, should let go of it, too. */
  dropped?(reason: string): void;
}

/** Characters before the first that says something. */
const MAX_BLANK = 100;
const LOST = "its result was too large to be kept";

/**
 * Tells one hearer of one call, from wherever it is: also one that was begun, or is over. Nothing is closed or parsed for a
 * call that nobody looks at.
 */
export class ShownCall {
  readonly #hearer: CallHearer;
  readonly #clock: Clock;
  readonly #json = new PartialJson();
  #told = 0;
  #timer: (() => void) | undefined;
  #hasInput = false;
  #isOver = false;

  constructor(item: CallItem, hearer: CallHearer, clock: Clock) {
    this.#hearer = hearer;
    this.#clock = clock;
    if (item.inputText) this.write(item.inputText);
    if (item.progress) hearer.progress(item.progress);
    this.changed(item);
  }

  /** The model went on with the arguments. The first part is told at once, what follows not too often (L05). */
  write(text: string): void {
    if (this.#hasInput || this.#isOver || text === "") return;
    this.#json.push(text);
    if (!this.#timer) this.#tell();
  }

  progress(progress: Progress): void {
    if (!this.#isOver) this.#hearer.progress(progress);
  }

  /** The call is not what it was. */
  changed({ input, result, state, problem, isResultLost }: CallItem): void {
    if (this.#isOver) return;
    const isOver = state !== "writing" && state !== "running";
    if (input && !this.#hasInput) {
      this.#hasInput = true;
      this.#stopTelling();
      this.#hearer.input(input);
    }
    if (!isOver) return;
    this.close();
    if (result) this.#hearer.result(result);
    else this.#hearer.cancelled(problem ?? (isResultLost ? LOST : "the call was cancelled"));
  }

  /** Its result is not held any more. */
  dropped(): void {
    this.#hearer.dropped?.(LOST);
  }

  /** Its hearer hears no more. */
  close(): void {
    this.#isOver = true;
    this.#stopTelling();
  }

  #tell(): void {
    this.#timer = undefined;
    const { text } = this.#json;
    if (text.length === this.#told) return;
    this.#told = text.length;
    const input = this.#json.value();
    if (input) this.#hearer.partial(input);
    // With nothing to tell there is nothing to wait for; but what is no JSON is not looked at for every character.
    if (input || text.length > MAX_BLANK)
      this.#timer = this.#clock.after(PARTIAL_INTERVAL, () => this.#tell());
  }

  #stopTelling(): void {
    this.#timer?.();
    this.#timer = undefined;
  }
}
