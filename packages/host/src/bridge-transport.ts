/**
 * What carries a bridge's messages.
 *
 * @module
 */
import { JsonText, type Transport } from "@vitrine/protocol";

/** A transport of a bridge. Any {@link Transport} will do. */
export interface BridgeTransport extends Transport {
  /**
   * Messages are written as text: a {@link JsonText} under `params` or `result` is put in as it is (others are
   * given its value), and what must say "nothing" says `null`. Text from the view is then the transport's to parse.
   */
  readonly carriesText?: boolean | undefined;
}

/** The message with the value of a text that nobody parsed yet, for a transport that carries values. */
export function inflate(message: unknown): unknown {
  const copy = { ...Object(message) };
  for (const part of ["params", "result"]) {
    const text = copy[part];
    if (!(text instanceof JsonText)) continue;
    copy[part] = text.parse();
    return copy;
  }
  return message;
}
