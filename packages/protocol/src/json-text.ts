/**
 * JSON that nobody has parsed yet. Making objects is what a large message costs, and each frame on its way
 * would make them anew; text passes through all of them as it is, and only the last one parses.
 *
 * @example
 * ```ts source="./protocol.examples.ts#jsonText"
 * const answer = await fetch("/tools/call", { method: "POST", body });
 * // The text of a CallToolResult, on its way to a view that will parse it.
 * const result = new JsonText(await answer.text());
 * ```
 */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** What the text says. */
  parse(): unknown {
    return JSON.parse(this.text);
  }

  /** So that a message with such a part in it can be written as JSON. */
  toJSON(): unknown {
    return this.parse();
  }
}
