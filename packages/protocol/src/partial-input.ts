/**
 * Arguments of a tool call while the model still writes them: incomplete JSON, closed at its current end.
 *
 * @module
 */
import { VitrineError } from "./errors.js";

/**
 * Reads a growing JSON text. Each character is read once. {@link value} closes open containers and leaves out
 * parts that may still change: half a key, a number, a literal, an escape, half a surrogate pair. It repairs
 * nothing: invalid JSON has no value.
 *
 * @example
 * ```ts source="./partial-input.examples.ts#partialJson"
 * const json = new PartialJson();
 * json.push('{"city":"Ro');
 * const some = json.value(); // { city: "Ro" }
 * json.push('me","days":1');
 * const more = json.value(); // { city: "Rome" }: the number may become 10
 * json.push("0}");
 * const all = json.value(); // { city: "Rome", days: 10 }
 * ```
 */
export class PartialJson {
  #text = "";
  /**
   * Closing brackets of the containers that are open at {@link #cut}. Every opening or closing bracket moves
   * the cut.
   */
  readonly #closers: string[] = [];
  /** Length of the text that can be kept. */
  #cut = 0;
  #string = false;
  /** The next or current string is a key. */
  #key = false;
  /** Remaining characters of the current escape; 0 outside of one. */
  #escape = 0;
  /** The last character was a high surrogate. */
  #high = false;

  /** The whole text so far. */
  get text(): string {
    return this.#text;
  }

  /** Appends the next part of the text. */
  push(chunk: string): void {
    // Scan the chunk, not the whole text: indexing a concatenated string would flatten it for every chunk.
    let at = this.#text.length;
    for (let index = 0; index < chunk.length; index++, at++) {
      if (this.#string) this.#inString(chunk.charAt(index), at);
      else this.#between(chunk.charAt(index), at);
    }
    this.#text += chunk;
  }

  #inString(char: string, at: number): void {
    let end = false;
    if (this.#escape === 0) {
      if (char === "\\") this.#escape = 5;
      else end = char === '"';
      this.#high = char >= "\ud800" && char <= "\udbff";
    } else {
      if (this.#escape === 4) this.#high = /d/i.test(char);
      if (this.#escape === 3) this.#high &&= /[89ab]/i.test(char);
      this.#escape = this.#escape === 5 && char !== "u" ? 0 : this.#escape - 1;
    }
    // Keep a key only with its value, and a high surrogate only with the low one that follows.
    if (!this.#key && this.#escape === 0 && !this.#high) this.#cut = at + 1;
    this.#string = !end;
  }

  #between(char: string, at: number): void {
    const closers = this.#closers;
    if (char === '"') this.#string = true;
    else if (char === "{") closers.push("}");
    else if (char === "[") closers.push("]");
    else if (char === "}" || char === "]") closers.pop();
    else if (char === ",") this.#cut = at;
    if (char === "," || char === "{" || char === "[") this.#key = closers.at(-1) === "}";
    else if (char === ":") this.#key = false;
    if ("{}[]".includes(char) || (char === '"' && !this.#key)) this.#cut = at + 1;
  }

  /** The value of the text so far, if it is an object. */
  value(): Record<string, unknown> | undefined {
    const quote = this.#string && !this.#key ? '"' : "";
    return parseObject(this.#text.slice(0, this.#cut) + quote + [...this.#closers].reverse().join(""));
  }
}

/** Milliseconds between two partial inputs: as often as a user can follow. */
export const PARTIAL_INTERVAL = 50;

/**
 * Follows the text of a tool call's arguments to its end, and returns the arguments. Calls `partial` with the
 * arguments so far, at most once per interval, and never after the end.
 *
 * @throws {VitrineError} `invalid` if the complete text is not a JSON object
 *
 * @example
 * ```ts source="./partial-input.examples.ts#followInput"
 * const input = await followInput(chunks, (soFar) => show(soFar), 100);
 * ```
 */
export async function followInput(
  chunks: AsyncIterable<string>,
  partial: (input: Record<string, unknown>) => void,
  interval: number = PARTIAL_INTERVAL,
): Promise<Record<string, unknown>> {
  const json = new PartialJson();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let told = -1;
  const tell = (): void => {
    timer = undefined;
    if (told === json.text.length) return;
    told = json.text.length;
    const value = json.value();
    if (value) partial(value);
    timer = setTimeout(tell, interval);
  };
  try {
    for await (const chunk of chunks) {
      json.push(chunk);
      if (!timer) tell();
    }
  } finally {
    clearTimeout(timer);
  }
  // Some models write nothing for a tool without arguments.
  const input = parseObject(json.text.trim() || "{}");
  if (!input) throw new VitrineError("invalid", "the arguments of the tool call are not a JSON object");
  return input;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
