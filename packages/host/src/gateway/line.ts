/**
 * A connection from the page to the gateway, of any kind.
 *
 * @module
 */
import type { SessionTransport } from "@vitrine/wire";

/** A transport that the page has opened. */
export interface Line extends SessionTransport {
  readonly kind: LineKind;
  /** Closes it, optionally with a last frame; no more events follow. */
  drop(last?: string): void;
}

/** The kind of connection: a WebSocket, or POST and an event stream. */
export type LineKind = "websocket" | "http";

/** Events of a connection. */
export interface LineEvents {
  /** A frame arrived. The first is the answer to the hello. */
  frame(line: Line, frame: string): void;
  /** It ended, or could not be opened. `status` is that of a refusing HTTP response. */
  closed(line: Line, status?: number): void;
}

/** Opens a connection and sends the hello. */
export type Dial = (url: URL, hello: string, events: LineEvents) => Line;
