/**
 * Reports a call to a view.
 *
 * @module
 */

import { type CallToolResult, PARTIAL_INTERVAL, PartialJson, type Progress } from "@vitrine/protocol";
import type { Clock } from "@vitrine/servers/support";
import type { CallItem } from "@vitrine/wire";

/** Receives the events of a call: partial input repeatedly, the input once, and then its end once. */
export interface CallEventListener {
  partial(input: Record<string, unknown>): void;
  input(input: Record<string, unknown>): void;
  progress(progress: Progress): void;
  result(result: CallToolResult): void;
  /** There will be no result. */
  cancelled(reason: string): void;
  /** The result was dropped from memory. A listener that holds it should release it too. */
  dropped?(reason: string): void;
}

/** Characters after which text without a value is checked less often. */
const MAX_BLANK = 100;
const LOST = "its result was too large to be stored";

/**
 * Reports a call to a listener from its current state, even if the call has started or ended. Nothing is
 * parsed for a call without listeners.
 */
export class CallReporter {
  readonly #listener: CallEventListener;
  readonly #clock: Clock;
  readonly #json = new PartialJson();
  #reported = 0;
  #timer: (() => void) | undefined;
  #hasInput = false;
  #isOver = false;

  constructor(item: CallItem, listener: CallEventListener, clock: Clock) {
    this.#listener = listener;
    this.#clock = clock;
    if (item.inputText) this.write(item.inputText);
    if (item.progress) listener.progress(item.progress);
    this.changed(item);
  }

  /** Adds to the arguments. The first part is reported at once, later parts at a limited rate. */
  write(text: string): void {
    if (this.#hasInput || this.#isOver || text === "") return;
    this.#json.push(text);
    if (!this.#timer) this.#notify();
  }

  progress(progress: Progress): void {
    if (!this.#isOver) this.#listener.progress(progress);
  }

  /** Reports a change of the call. */
  changed({ input, result, state, problem, isResultLost }: CallItem): void {
    if (this.#isOver) return;
    const isOver = state !== "writing" && state !== "running";
    if (input && !this.#hasInput) {
      this.#hasInput = true;
      this.#stopTelling();
      this.#listener.input(input);
    }
    if (!isOver) return;
    this.close();
    if (result) this.#listener.result(result);
    else this.#listener.cancelled(problem ?? (isResultLost ? LOST : "the call was cancelled"));
  }

  /** Reports that the result was dropped. */
  dropped(): void {
    this.#listener.dropped?.(LOST);
  }

  /** Stops reporting. */
  close(): void {
    this.#isOver = true;
    this.#stopTelling();
  }

  #notify(): void {
    this.#timer = undefined;
    const { text } = this.#json;
    if (text.length === this.#reported) return;
    this.#reported = text.length;
    const input = this.#json.value();
    if (input) this.#listener.partial(input);
    // Without a value there is no reason to wait, but invalid JSON is not parsed at every character.
    if (input || text.length > MAX_BLANK)
      this.#timer = this.#clock.after(PARTIAL_INTERVAL, () => this.#notify());
  }

  #stopTelling(): void {
    this.#timer?.();
    this.#timer = undefined;
  }
}
