/**
 * The transport interface of a session.
 *
 * @module
 */

/**
 * Why a session closes a transport. After `gap`, reconnecting helps; the others are faults of the other side.
 */
export type TransportFault = "gap" | "malformed" | "window" | "too-large";

/** A connection that delivers frames in order while it lives. */
export interface SessionTransport {
  send(frame: string): void;
  /** Closes the connection: the other side violates the protocol, or frames were lost. */
  end(fault: TransportFault, message: string): void;
  /** Whether its send buffer is full. Its owner calls `Session.flush` when there is room again. */
  readonly full?: boolean;
}
