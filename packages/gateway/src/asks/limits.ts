/**
 * Limits of requests to users and models.
 *
 * @module
 */

/** Limits of servers' and apps' requests to a user's model. */
export interface SamplingLimits {
  /** Requests of one server, or of one view, per minute. */
  readonly perMinute: number;
  /** Requests that may be queued. */
  readonly waiting: number;
  /** Maximum characters of JSON of a request. */
  readonly size: number;
  readonly messages: number;
  /** Maximum tokens of an answer. */
  readonly maxTokens: number;
  /** Tokens, input and output, that a server with its views may use per user and hour. */
  readonly tokensPerHour: number;
  /** Milliseconds that the user has to answer. */
  readonly userTimeout: number;
  /** Milliseconds that the model has to answer. */
  readonly time: number;
}

/** Default limits. */
export const SAMPLING_LIMITS: SamplingLimits = {
  perMinute: 5,
  waiting: 9,
  size: 4_000_000,
  messages: 100,
  maxTokens: 8_192,
  tokensPerHour: 200_000,
  userTimeout: 300_000,
  time: 120_000,
};

/** Limits of servers' requests to a user. */
export interface ElicitationLimits {
  /** Requests of one server per minute. */
  readonly perMinute: number;
  /** Requests that may be queued. */
  readonly waiting: number;
  /** Maximum characters of JSON of a request. */
  readonly size: number;
  /** Maximum characters of its message. */
  readonly message: number;
  /** Milliseconds that the user has to answer. */
  readonly userTimeout: number;
}

/** Default limits. */
export const ELICITATION_LIMITS: ElicitationLimits = {
  perMinute: 10,
  waiting: 9,
  size: 200_000,
  message: 10_000,
  userTimeout: 300_000,
};
