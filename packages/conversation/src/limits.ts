/**
 * How much a conversation may do.
 *
 * @module
 */

/** Limits of a conversation. Those of a turn are told to the person when they are reached. */
export interface ConversationLimits {
  /** How often the model is asked in one turn. */
  readonly rounds: number;
  /** Tokens of one turn, read and written. */
  readonly tokens: number;
  /** Seconds of one turn, with those in which a person is asked something. */
  readonly seconds: number;
  /** Characters of one result that the model sees. */
  readonly result: number;
  /** Characters of all that the model sees. */
  readonly context: number;
  /** Messages that wait for their turn: of apps, and of all. */
  readonly appQueue: number;
  readonly queue: number;
  /** Turns in a row that apps began, and no person. */
  readonly appTurns: number;
  /** Contexts of one app that are taken in ten seconds. */
  readonly contexts: number;
  /** Characters of results that are too large for the store and are held in memory: of one conversation, and of all. */
  readonly live: number;
  readonly liveOfAll: number;
}

/** What holds where the settings say nothing. */
export const DEFAULT_LIMITS: ConversationLimits = {
  rounds: 20,
  tokens: 200_000,
  seconds: 600,
  result: 100_000,
  // About 100,000 tokens: what most models take.
  context: 400_000,
  appQueue: 10,
  queue: 100,
  appTurns: 20,
  // Fewer than the guard lets through: who is flooded is told.
  contexts: 100,
  // One result has as much at most.
  live: 64_000_000,
  liveOfAll: 256_000_000,
};
