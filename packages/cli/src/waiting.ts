/**
 * Progress display for long operations.
 *
 * @module
 */
import { oneLine, type Stream } from "./terminal.js";

const FRAMES = [..."⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"];
/** Milliseconds after which a long operation is reported, if there is no spinner. */
const LONG = 3_000;

/** Shows the current activity: a spinner on a terminal; elsewhere plain lines, and only if it takes long. */
export class Waiting {
  readonly #stream: Stream;
  readonly #turns: boolean;
  readonly #timer: NodeJS.Timeout;
  #text: string;
  #frame = 0;
  #isShown = false;

  constructor(stream: Stream, text: string, turns: boolean) {
    this.#stream = stream;
    this.#text = text;
    this.#turns = turns;
    this.#timer = turns ? setInterval(() => this.#draw(), 80) : setTimeout(() => this.#say(), LONG);
    this.#timer.unref();
  }

  /** Changes the text. */
  say(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    if (!this.#turns && this.#isShown) this.#say();
  }

  /** Hides the line for other output; it comes back with the next turn. */
  hide(): void {
    if (this.#turns && this.#isShown) this.#stream.write("\r\u001b[K");
    this.#isShown &&= !this.#turns;
  }

  end(): void {
    clearInterval(this.#timer);
    this.hide();
  }

  #say(): void {
    this.#isShown = true;
    this.#stream.write(`${oneLine(this.#text)}…\n`);
  }

  #draw(): void {
    this.#isShown = true;
    const width = (this.#stream.columns || 80) - 4;
    const frame = FRAMES[this.#frame++ % FRAMES.length];
    this.#stream.write(`\r\u001b[K${frame} ${oneLine(this.#text).slice(0, width)}…`);
  }
}
