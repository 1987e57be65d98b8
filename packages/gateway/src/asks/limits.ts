/**
 * How much may be asked of people and models.
 *
 * @module
 */

/** Limits of what servers and apps may ask of a person's model. */
export interface SamplingLimits {
  /** Questions of one server, or of one view, within a minute. */
  readonly perMinute: number;
  /** Those that may wait for the one that is under way. */
  readonly waiting: number;
  /** Characters of JSON of one question. */
  readonly size: number;
  readonly messages: number;
  /** Tokens of one answer. */
  readonly maxTokens: number;
  /** Tokens that one server, with its views, may use up of one user's in an hour; those that are read count too. */
  readonly tokensPerHour: number;
  /** Milliseconds that the person has. */
  readonly patience: number;
  /** Milliseconds that the model has. */
  readonly time: number;
}

/** Where nothing is said. */
export const SAMPLING_LIMITS: SamplingLimits = {
  perMinute: 5,
  waiting: 9,
  size: 4_000_000,
  messages: 100,
  maxTokens: 8_192,
  tokensPerHour: 200_000,
  patience: 300_000,
  time: 120_000,
};

/** Limits of what servers may ask of a person. */
export interface ElicitationLimits {
  /** Questions of one server within a minute. */
  readonly perMinute: number;
  /** Those that may wait for the one that is open. */
  readonly waiting: number;
  /** Characters of JSON of one question. */
  readonly size: number;
  /** Characters of its message. */
  readonly message: number;
  /** Milliseconds that the person has. */
  readonly patience: number;
}

/** Where nothing is said. */
export const ELICITATION_LIMITS: ElicitationLimits = {
  perMinute: 10,
  waiting: 9,
  size: 200_000,
  message: 10_000,
  patience: 300_000,
};
