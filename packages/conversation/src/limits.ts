/**
 * Limits of conversations.
 *
 * @module
 */

/** Limits of a conversation. The user is notified when a turn reaches one of them. */
export interface ConversationLimits {
  /** Requests to the model in one turn. */
  readonly rounds: number;
  /** Tokens of one turn, input and output. */
  readonly tokens: number;
  /** Seconds of one turn, including the time in which the user is asked something. */
  readonly seconds: number;
  /** Characters of one result that the model sees. */
  readonly result: number;
  /** Characters of all messages that the model sees. */
  readonly context: number;
  /** Queued messages: of apps, and in total. */
  readonly appQueue: number;
  readonly queue: number;
  /** Consecutive turns that were started by apps. */
  readonly appTurns: number;
  /** Context updates of one app in ten seconds. */
  readonly contexts: number;
  /** Characters of results in memory that are too large for the store: per conversation, and in total. */
  readonly live: number;
  readonly liveOfAll: number;
}

/** Used where the settings say nothing. */
export const DEFAULT_LIMITS: ConversationLimits = {
  rounds: 20,
  tokens: 200_000,
  seconds: 600,
  result: 100_000,
  // About 100,000 tokens, which most models accept.
  context: 400_000,
  appQueue: 10,
  queue: 100,
  appTurns: 20,
  // Lower than the guard's limit, so that the user is notified.
  contexts: 100,
  // The maximum size of a single result.
  live: 64_000_000,
  liveOfAll: 256_000_000,
};
