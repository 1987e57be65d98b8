/**
 * What is shown while something takes long.
 *
 * @module
 */
import { oneLine, type Stream } from "./terminal.js";

const FRAMES = [..."⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"];
/** Milliseconds after which it is said that something takes long, where nothing can turn. */
const LONG = 3_000;

/** Says what is under way: a line that turns on a terminal; elsewhere plain lines, and only if it takes long. */
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

  /** Other words for it. */
  say(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    if (!this.#turns && this.#isShown) this.#say();
  }

  /** Makes room for another line; it comes back with the next turn. */
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
