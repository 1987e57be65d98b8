/**
 * A connection from the page to the gateway, whatever it is made of.
 *
 * @module
 */
import type { SessionTransport } from "@vitrine/wire";

/** A carrier that the page has dialled. */
export interface Line extends SessionTransport {
  readonly kind: LineKind;
  /** Closes it, with a last frame or without; nothing more is heard of it. */
  drop(last?: string): void;
}

/** What carries the frames: a WebSocket, or POST and an event stream. */
export type LineKind = "websocket" | "http";

/** What a line tells. */
export interface LineEvents {
  /** The first is the answer to the hello. */
  frame(line: Line, frame: string): void;
  /** It ended, or could not be opened. `status` is that of an HTTP answer which says no. */
  closed(line: Line, status?: number): void;
}

/** Opens a line and says hello. */
export type Dial = (url: URL, hello: string, events: LineEvents) => Line;
