/**
 * What is printed, and how: results to stdout, everything else to stderr, colours only where a person looks.
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

/** Where answers come from: a terminal, or something that cannot answer. */
export type Input = NodeJS.ReadableStream & { readonly isTTY?: boolean | undefined };

/** Lines of a server's stderr that are shown with an error. */
const LAST_LINES = 12;
/** Characters that a terminal obeys, and those that turn the direction of text: shown, not done. */
const CONTROL = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** Text of somebody else's, as a terminal may show it. Lines and tabs stay. */
export const printable = (text: string): string =>
  text
    .replace(/\r\n/g, "\n")
    .replace(CONTROL, (character) =>
      character === "\n" || character === "\t"
        ? character
        : `\\u{${character.codePointAt(0)?.toString(16) ?? ""}}`,
    );

/** How many characters of a text a terminal would obey. */
export const controlCharacters = (text: string): number =>
  (text.replace(/\r\n/g, "\n").match(CONTROL) ?? []).filter((each) => each !== "\n" && each !== "\t").length;

/** The same on one line. */
export const oneLine = (text: string): string => printable(text).replace(/\s+/g, " ").trim();

const ESCAPE = "\u001b";
/** The colours of {@link Terminal}, which are all that it lets a terminal obey. */
const COLOUR = new RegExp(`(${ESCAPE}\\[(?:1|2|22|31|32|39)m)`);

/** Text that we may have painted, as a terminal may show it: a last guard for whatever is printed. */
const paintable = (text: string): string =>
  text
    .split(COLOUR)
    .map((part, index) => (index % 2 === 0 ? printable(part) : part))
    .join("");

/** A control character in a JSON text: between its values there are only lines. */
const jsonEscape = (character: string): string =>
  character === "\n" ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Milliseconds in which a terminal hands over what was typed before. */
const TYPED = 50;

/** Reads what is there already, and forgets it. */
async function discardTyped(input: Input): Promise<void> {
  const discard = (): void => {};
  input.on("data", discard);
  await setTimeout(TYPED);
  // On a busy machine the time may be over before anything was read.
  await setImmediate();
  await setImmediate();
  input.off("data", discard);
  input.pause();
}

/** Where a command prints. */
export class Terminal {
  readonly #out: Stream;
  readonly #err: Stream;
  readonly #env: NodeJS.ProcessEnv;
  readonly #input: Input;
  #waiting: Waiting | undefined;
  /** Notes that arrive while a question is open, so that nothing is printed between the question and its answer. */
  #held: HeldLines | undefined;

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

  /** Whether a person can read a question and answer it. */
  get canAsk(): boolean {
    return this.#input.isTTY === true && this.#err.isTTY === true && !this.#env["CI"];
  }

  /** Characters in a line of stderr; 80 where the terminal does not say. */
  get noteColumns(): number {
    return (this.#err.isTTY && this.#err.columns) || 80;
  }

  /**
   * Prints lines, asks a question that is answered with yes or no, and waits for the answer. Only `y` and `yes` mean yes. Other notes wait
   * until there is an answer. Lines that were typed before the question answer nothing.
   */
  async confirm(lines: readonly string[], question: string, signal?: AbortSignal): Promise<boolean> {
    await discardTyped(this.#input);
    for (const line of lines) this.note(line);
    const held = new HeldLines();
    this.#held = held;
    // Not raw mode: Ctrl-C stays a signal.
    const reader = createInterface({ input: this.#input, terminal: false });
    const closed = new Promise<string>((resolve) => reader.once("close", () => resolve("")));
    try {
      this.#waiting?.hide();
      this.#err.write(`${this.#safe(question, "err")} [y/N] `);
      const answer = await Promise.race([reader.question("", signal ? { signal } : {}), closed]);
      return /^\s*y(es)?\s*$/i.test(answer);
    } catch (error) {
      throw signal?.aborted ? signal.reason : error;
    } finally {
      reader.close();
      this.#held = undefined;
      for (const line of held.lines()) this.note(line);
    }
  }

  /** Whether a person reads what goes to stdout. */
  get isWatched(): boolean {
    return this.#out.isTTY === true;
  }

  /** Characters in a line of stdout; undefined where nobody looks. */
  get columns(): number | undefined {
    // Some terminals say 0, and mean that they do not know.
    return this.#out.isTTY ? this.#out.columns || undefined : undefined;
  }

  /** A line on stdout. Control characters are escaped in pipes and files too: many of them end up on a terminal. */
  print(text: string): void {
    this.#out.write(`${this.#safe(text, "out")}\n`);
  }

  /** Text on stdout: exact for a program, which may want every character; escaped for a person. */
  exact(text: string): void {
    this.#out.write(`${this.isWatched ? this.#safe(text, "out") : text}\n`);
  }

  /** Bytes on stdout, as they are. */
  bytes(data: Uint8Array): void {
    this.#out.write(data);
  }

  /** One JSON value on stdout. JSON allows some raw control characters; they are written as escapes of the same value. */
  json(value: unknown): void {
    this.print(JSON.stringify(value, null, 2).replace(CONTROL, jsonEscape));
  }

  /** A line on stderr. */
  note(text: string): void {
    if (this.#held) {
      this.#held.add(text);
      return;
    }
    this.#waiting?.hide();
    this.#err.write(`${this.#safe(text, "err")}\n`);
  }

  /** An error: its sentence, and the last words of the server that caused it. */
  fail(error: CliError): void {
    this.note(`${this.red("✗", "err")} ${printable(error.message)}`);
    this.lastWords(error.stderr);
  }

  /** The last lines that a server wrote to stderr, if there are any. */
  lastWords(stderr = ""): void {
    const lines = printable(stderr)
      .trimEnd()
      .split("\n")
      .filter((line) => line.trim() !== "");
    if (lines.length === 0) return;
    const cut = lines.length > LAST_LINES ? ", its last lines" : "";
    this.note(this.dim(`  what it wrote to stderr${cut}:`, "err"));
    for (const line of lines.slice(-LAST_LINES)) this.note(this.dim(`  │ ${line.slice(0, 400)}`, "err"));
  }

  bold = (text: string): string => this.#paint(text, "out", 1, 22);
  dim = (text: string, where: "out" | "err" = "out"): string => this.#paint(text, where, 2, 22);
  red = (text: string, where: "out" | "err" = "out"): string => this.#paint(text, where, 31, 39);
  green = (text: string, where: "out" | "err" = "out"): string => this.#paint(text, where, 32, 39);

  /** Says what is waited for, until it ends. */
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
