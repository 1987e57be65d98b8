/**
 * Arguments of a tool call while the model still writes them (L05): incomplete JSON, closed as far as it goes.
 *
 * @module
 */
import { VitrineError } from "./errors.js";

/**
 * Reads a JSON text that grows. Each character is looked at once; {@link value} closes what is open and leaves
 * out what may still become something else: half a key, a number, a literal, an escape, half a surrogate pair.
 * It repairs nothing: text that is no JSON has no value.
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
  /** What closes the containers that are open at {@link #cut}: nothing opens or closes one without moving it. */
  readonly #closers: string[] = [];
  /** How much of the text can be kept. */
  #cut = 0;
  #string = false;
  /** The next string, or this one, is a key. */
  #key = false;
  /** The rest of an escape that is still to come; 0 outside of one. */
  #escape = 0;
  /** The last character was the first half of one. */
  #high = false;

  /** All of the text so far. */
  get text(): string {
    return this.#text;
  }

  /** Takes the next part of the text. */
  push(chunk: string): void {
    // The chunk is looked at, not the text: that would be put together anew for each.
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
    // A key is kept with its value, a high surrogate with the other half, if there is one.
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

  /** What the text says so far, if that is an object. */
  value(): Record<string, unknown> | undefined {
    const quote = this.#string && !this.#key ? '"' : "";
    return parseObject(this.#text.slice(0, this.#cut) + quote + [...this.#closers].reverse().join(""));
  }
}

/** Milliseconds between two partial inputs: as often as a person can follow, and no more. */
export const PARTIAL_INTERVAL = 50;

/**
 * Follows the text of a tool call's arguments to its end, and returns them. What they say so far goes to
 * `partial`, at most once per interval, and never after the end.
 *
 * @throws {VitrineError} `invalid` when the whole is no JSON object
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
  // Some models write nothing at all for a tool without arguments.
  const input = parseObject(json.text.trim() || "{}");
  if (!input) throw new VitrineError("invalid", "the arguments of the tool call are no JSON object");
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
