/**
 * What a session needs of a connection.
 *
 * @module
 */

/** Why a session ends a carrier. After `gap` a new carrier helps; the others are faults of the other end. */
export type CarrierFault = "gap" | "malformed" | "window" | "too-large";

/** A connection that carries frames, in order, for as long as it lives. */
export interface Carrier {
  send(frame: string): void;
  /** Ends the connection: the other end does not keep to the rules, or frames were lost. */
  end(fault: CarrierFault, message: string): void;
  /** It takes no more for now. Whoever owns it calls `Session.flush` when it does again. */
  readonly full?: boolean;
}
