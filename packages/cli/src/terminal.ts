/**
 * Output: results to stdout, everything else to stderr, colours only for a terminal.
 *
 * @module
 */
import { createInterface } from "node:readline/promises";
import { setImmediate, setTimeout } from "node:timers/promises";
import type { WriteStream } from "node:tty";
import type { CliError } from "./exit.js";
import { HeldLines } from "./held-lines.js";
import { Waiting } from "./waiting.js";

/** A stream that may be a terminal. */
export type Stream = NodeJS.WritableStream & Partial<Pick<WriteStream, "isTTY" | "columns">>;

/** Source of answers: a terminal, or something that cannot answer. */
export type Input = NodeJS.ReadableStream & {
  readonly isTTY?: boolean | undefined;
  /** Of a terminal: delivers keys without waiting for Enter. */
  setRawMode?(isRaw: boolean): unknown;
};

/** Maximum lines of a server's stderr shown with an error. */
const LAST_LINES = 12;
/** Characters that control a terminal or change the text direction: they are escaped. */
const CONTROL = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** Escapes third-party text for a terminal. Line breaks and tabs stay. */
export const printable = (text: string): string =>
  text
    .replace(/\r\n/g, "\n")
    .replace(CONTROL, (character) =>
      character === "\n" || character === "\t"
        ? character
        : `\\u{${character.codePointAt(0)?.toString(16) ?? ""}}`,
    );

/** Counts the characters that would control a terminal. */
export const controlCharacters = (text: string): number =>
  (text.replace(/\r\n/g, "\n").match(CONTROL) ?? []).filter((each) => each !== "\n" && each !== "\t").length;

/** The same on one line. */
export const oneLine = (text: string): string => printable(text).replace(/\s+/g, " ").trim();

const ESCAPE = "\u001b";
/** The colours of {@link Terminal}, the only control sequences that it prints. */
const COLOUR = new RegExp(`(${ESCAPE}\\[(?:1|2|22|31|32|39)m)`);

/** Escapes text that may contain our colours: a last guard for all output. */
const paintable = (text: string): string =>
  text
    .split(COLOUR)
    .map((part, index) => (index % 2 === 0 ? printable(part) : part))
    .join("");

/** Escapes a control character in JSON text, where only line breaks are allowed between values. */
const jsonEscape = (character: string): string =>
  character === "\n" ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Milliseconds within which a terminal delivers earlier keystrokes. */
const TYPED = 50;

/** Milliseconds without a question after one was withdrawn: keys that were meant for it count for nothing. */
const AFTER_WITHDRAWAL = 2_000;
const CTRL_C = 3;

/**
 * Discards pending input. A terminal keeps a line until Enter, so that a `y` of an earlier question would count for the
 * next one: in raw mode it delivers the beginning of a line as well.
 */
async function discardTyped(input: Input): Promise<void> {
  let isInterrupted = false;
  const discard = (data: string | Uint8Array): void => {
    isInterrupted ||= Buffer.from(data).includes(CTRL_C);
  };
  const isRaw = input.isTTY === true && input.setRawMode !== undefined;
  try {
    if (isRaw) input.setRawMode?.(true);
    input.on("data", discard);
    // An earlier question has paused it, and a new listener alone does not change that.
    input.resume();
    await setTimeout(TYPED);
    // On a busy machine the time may pass before anything was read.
    await setImmediate();
    await setImmediate();
  } finally {
    input.off("data", discard);
    input.pause();
    if (isRaw) input.setRawMode?.(false);
  }
  // In raw mode Ctrl-C is a character.
  if (isRaw && isInterrupted) process.kill(process.pid, "SIGINT");
}

/** Output of a command. */
export class Terminal {
  readonly #out: Stream;
  readonly #err: Stream;
  readonly #env: NodeJS.ProcessEnv;
  readonly #input: Input;
  #waiting: Waiting | undefined;
  /**
   * Notes that are held while a question is open, so that nothing is printed between the question and its
   * answer.
   */
  #held: HeldLines | undefined;
  #asking: Promise<unknown> = Promise.resolve();
  /** When the next question may be shown. */
  #quietUntil = 0;

  constructor(
    out: Stream = process.stdout,
    err: Stream = process.stderr,
    env: NodeJS.ProcessEnv = process.env,
    input: Input = process.stdin,
  ) {
    this.#out = out;
    this.#err = err;
    this.#env = env;
    this.#input = input;
  }

  /** Whether a user can read a question and answer it. */
  get canAsk(): boolean {
    return this.#input.isTTY === true && this.#err.isTTY === true && !this.#env["CI"];
  }

  /** Columns of stderr; 80 if unknown. */
  get noteColumns(): number {
    return (this.#err.isTTY && this.#err.columns) || 80;
  }

  /**
   * Prints lines and a yes/no question, and waits for the answer. Only `y` and `yes` count as yes. Other
   * notes are held until then. Earlier input is discarded. After a withdrawn question, the next one comes two seconds later.
   */
  confirm(lines: readonly string[], question: string, signal?: AbortSignal): Promise<boolean> {
    // Questions come one at a time: an answer must never count for another one.
    const asked = this.#asking.then(() => this.#confirm(lines, question, signal));
    this.#asking = asked.catch(() => {});
    return asked;
  }

  async #confirm(lines: readonly string[], question: string, signal?: AbortSignal): Promise<boolean> {
    signal?.throwIfAborted();
    const quiet = this.#quietUntil - performance.now();
    if (quiet > 0) await setTimeout(quiet);
    await discardTyped(this.#input);
    signal?.throwIfAborted();
    for (const line of lines) this.note(line);
    const held = new HeldLines();
    this.#held = held;
    // Not in raw mode, so that Ctrl-C stays a signal.
    const reader = createInterface({ input: this.#input, terminal: false });
    const closed = new Promise<string>((resolve) => reader.once("close", () => resolve("")));
    try {
      this.#waiting?.hide();
      this.#err.write(`${this.#safe(question, "err")} [y/N] `);
      const answer = await Promise.race([reader.question("", signal ? { signal } : {}), closed]);
      return /^\s*y(es)?\s*$/i.test(answer);
    } catch (error) {
      if (!signal?.aborted) throw error;
      this.#quietUntil = performance.now() + AFTER_WITHDRAWAL;
      throw signal.reason;
    } finally {
      reader.close();
      this.#held = undefined;
      for (const line of held.lines()) this.note(line);
    }
  }

  /** Whether stdout is a terminal. */
  get isWatched(): boolean {
    return this.#out.isTTY === true;
  }

  /** Columns of stdout; undefined if it is not a terminal. */
  get columns(): number | undefined {
    // Some terminals report 0 for unknown.
    return this.#out.isTTY ? this.#out.columns || undefined : undefined;
  }

  /**
   * Prints a line to stdout. Control characters are escaped in pipes and files too, because many end up in a
   * terminal.
   */
  print(text: string): void {
    this.#out.write(`${this.#safe(text, "out")}\n`);
  }

  /** Prints text to stdout: exact for a program, escaped for a terminal. */
  exact(text: string): void {
    this.#out.write(`${this.isWatched ? this.#safe(text, "out") : text}\n`);
  }

  /** Writes raw bytes to stdout. */
  bytes(data: Uint8Array): void {
    this.#out.write(data);
  }

  /** Prints one JSON value to stdout. Raw control characters that JSON allows are escaped. */
  json(value: unknown): void {
    this.print(JSON.stringify(value, null, 2).replace(CONTROL, jsonEscape));
  }

  /** Prints a line to stderr. */
  note(text: string): void {
    if (this.#held) {
      this.#held.add(text);
      return;
    }
    this.#waiting?.hide();
    this.#err.write(`${this.#safe(text, "err")}\n`);
  }

  /** Prints an error with its message, and the last output of the server that caused it. */
  fail(error: CliError): void {
    this.note(`${this.red("✗", "err")} ${printable(error.message)}`);
    this.lastWords(error.stderr);
  }

  /** Prints the last lines of a server's stderr, if any. */
  lastWords(stderr = ""): void {
    const lines = printable(stderr)
      .trimEnd()
      .split("\n")
      .filter((line) => line.trim() !== "");
    if (lines.length === 0) return;
    const cut = lines.length > LAST_LINES ? ", last lines" : "";
    this.note(this.dim(`  its stderr${cut}:`, "err"));
    for (const line of lines.slice(-LAST_LINES)) this.note(this.dim(`  │ ${line.slice(0, 400)}`, "err"));
  }

  bold = (text: string): string => this.#paint(text, "out", 1, 22);
  dim = (text: string, where: "out" | "err" = "out"): string => this.#paint(text, where, 2, 22);
  red = (text: string, where: "out" | "err" = "out"): string => this.#paint(text, where, 31, 39);
  green = (text: string, where: "out" | "err" = "out"): string => this.#paint(text, where, 32, 39);

  /** Shows what the command waits for, until it ends. */
  waiting(text: string): Waiting {
    this.#waiting?.end();
    return (this.#waiting = new Waiting(this.#err, text, this.#colours("err")));
  }

  #paint(text: string, where: "out" | "err", on: number, off: number): string {
    const shown = printable(text);
    return this.#colours(where) ? `${ESCAPE}[${on}m${shown}${ESCAPE}[${off}m` : shown;
  }

  #safe(text: string, where: "out" | "err"): string {
    return this.#colours(where) ? paintable(text) : printable(text);
  }

  #colours(where: "out" | "err"): boolean {
    const stream = where === "out" ? this.#out : this.#err;
    return stream.isTTY === true && !this.#env["NO_COLOR"] && this.#env["TERM"] !== "dumb";
  }
}
