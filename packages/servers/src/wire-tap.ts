/**
 * Shows the messages between the gateway and a server to whoever watches them.
 *
 * @module
 */

import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import type { HttpTap } from "./http-tap.js";

/** A message to or from a server, as it was on its way. */
export interface WireMessage {
  readonly direction: "sent" | "received";
  /** The message, as parsed. Undefined if only its text is known. */
  readonly message?: unknown;
  /** Its JSON, if it was on its way as one text. */
  readonly text?: string | undefined;
}

/** Receives messages. `isWatched` is false while nobody watches, so that nothing is prepared in vain. */
export interface WireTap extends HttpTap {
  take(message: WireMessage): void;
}

/**
 * Shows every message of a transport to the tap. Call it before the client connects: the client keeps the
 * `onmessage` that it finds, and calls it first. The probe of a client that negotiates does not: transports that
 * negotiate have a `tap` of their own.
 */
export function tapTransport(transport: Transport, tap: WireTap): void {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if (tap.isWatched) tap.take({ direction: "sent", message });
    return send(message, options);
  };
  const { onmessage } = transport;
  transport.onmessage = (message: JSONRPCMessage, extra) => {
    if (tap.isWatched) tap.take({ direction: "received", message });
    onmessage?.call(transport, message, extra);
  };
}

/** Calls the listener with every message that arrives after the handshake. */
export function hearMessages(transport: Transport, listener: (message: unknown) => void): void {
  const { onmessage } = transport;
  transport.onmessage = (message, extra) => {
    onmessage?.call(transport, message, extra);
    listener(message);
  };
}
