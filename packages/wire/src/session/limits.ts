/**
 * What one end of a session keeps in memory at most.
 *
 * @module
 */

/** Limits of a session, in characters. */
export interface SessionLimits {
  /** What may be sent and not be acknowledged; the same at both ends. */
  window: number;
  /** What may wait to be sent before the end counts as full. */
  highWater: number;
  /** What may wait to be sent at all: `send` throws beyond it. */
  queue: number;
  /** One message that comes in. */
  message: number;
  /** All unfinished messages that come in. */
  partial: number;
  /**
   * Whether this end, while it is full, leaves what comes in unread and unacknowledged, so that the other end must
   * wait. Only one of the two may: else both could wait for each other for ever.
   */
  holdWhenFull: boolean;
}

/** Limits that no page comes near in ordinary use. */
export const SESSION_LIMITS: SessionLimits = {
  window: 1_048_576,
  highWater: 1_048_576,
  queue: 268_435_456,
  message: 67_108_864,
  partial: 134_217_728,
  holdWhenFull: false,
};
