/**
 * JSON text that has not been parsed yet. Creating objects is the main cost of a large message, and every
 * frame on the way would create them again. Text passes through all frames unchanged, and only the last one
 * parses it.
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

  /** Parses the text. */
  parse(): unknown {
    return JSON.parse(this.text);
  }

  /** Lets `JSON.stringify` serialize a message that contains JSON text. */
  toJSON(): unknown {
    return this.parse();
  }
}
