/**
 * The transport of a bridge.
 *
 * @module
 */
import { JsonText, type Transport } from "@vitrine/protocol";

/** A transport of a bridge. Any {@link Transport} works. */
export interface BridgeTransport extends Transport {
  /**
   * Whether messages are serialized as text: a {@link JsonText} under `params` or `result` is inserted as it
   * is (other transports get its value), and `null` stands for `undefined`. The transport then parses the
   * view's text itself.
   */
  readonly carriesText?: boolean | undefined;
}

/** Replaces JSON text in a message by its value, for a transport of values. */
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
