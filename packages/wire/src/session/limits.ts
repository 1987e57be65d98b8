/**
 * Memory limits of one side of a session.
 *
 * @module
 */

/** Limits of a session, in characters. */
export interface SessionLimits {
  /** Maximum sent but unacknowledged; the same on both sides. */
  window: number;
  /** High-water mark of the send queue: above it the side counts as full. */
  highWater: number;
  /** Maximum of the send queue: above it `send` throws. */
  queue: number;
  /** Maximum of one incoming message. */
  message: number;
  /** Maximum of all incomplete incoming messages; the same on both sides, because the sender keeps to it. */
  partial: number;
  /**
   * Whether this side, while full, leaves incoming frames unread and unacknowledged, so that the other side
   * must wait. Only one side may do so, or both could wait for each other forever.
   */
  holdWhenFull: boolean;
}

/** Limits far above ordinary use. */
export const SESSION_LIMITS: SessionLimits = {
  window: 1_048_576,
  highWater: 1_048_576,
  queue: 268_435_456,
  message: 67_108_864,
  partial: 134_217_728,
  holdWhenFull: false,
};
