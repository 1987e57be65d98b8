/** Polls while the page is visible. */

/** The longest pause after failures. */
const LONGEST = 60_000;

/** Polls until stopped. Each failure doubles the next pause. */
export class Poll {
  readonly #ask: () => Promise<boolean>;
  readonly #interval: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  #isOn = false;
  #isAsking = false;

  /** `ask` returns whether there was an answer. */
  constructor(interval: number, ask: () => Promise<boolean>) {
    this.#interval = interval;
    this.#ask = ask;
    // A hidden page does not poll; when it becomes visible, it polls at once.
    document.addEventListener("visibilitychange", () => this.#wait(0));
    addEventListener("pagehide", () => this.stop());
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  start(): void {
    this.#isOn = true;
    this.#wait(this.#interval);
  }

  stop(): void {
    this.#isOn = false;
    clearTimeout(this.#timer);
  }

  #wait(pause: number): void {
    clearTimeout(this.#timer);
    if (this.#isOn && !this.#isAsking && !document.hidden)
      this.#timer = setTimeout(() => void this.#once(), pause);
  }

  async #once(): Promise<void> {
    this.#isAsking = true;
    this.#failures = (await this.#ask()) ? 0 : this.#failures + 1;
    this.#isAsking = false;
    this.#wait(Math.min(LONGEST, this.#interval * 2 ** this.#failures));
  }
}
