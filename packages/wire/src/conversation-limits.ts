/**
 * Limits of stored conversations, and their errors.
 *
 * @module
 */
import { GatewayError } from "./gateway-error.js";

/** Larger values are refused; the owner of a conversation cuts them before. */
export const CONVERSATION_LIMITS = {
  /** Bytes of one entry's JSON. */
  item: 1_000_000,
  /** Entries of one conversation. */
  items: 10_000,
  /** Bytes of the JSON of all its entries: all of them are in memory when it is opened. */
  size: 64_000_000,
  /** Bytes of the JSON of all its contexts. */
  contexts: 4_000_000,
  /** Characters of a title. */
  title: 500,
  /** Searched characters of an entry. */
  searched: 16_000,
  /** Maximum words of a search. */
  words: 8,
} as const;

/** A conversation could not be changed; `data.limit` says which of {@link CONVERSATION_LIMITS} was reached. */
export class ConversationError extends GatewayError {
  constructor(
    code: "conversation-unknown" | "conversation-too-large",
    message: string,
    limit?: keyof typeof CONVERSATION_LIMITS,
  ) {
    super(code, message, limit === undefined ? {} : { data: { limit } });
  }
}

type Limit = "item" | "items" | "size" | "contexts" | "title";

const SENTENCES: Record<Limit, (max: string, found: string) => string> = {
  item: (max, found) => `an entry of ${found} bytes is more than the ${max} that are stored: shorten it`,
  items: (max) => `a conversation has ${max} entries at most: start a new one`,
  size: (max) => `a conversation has ${max} bytes at most: start a new one, or remove entries`,
  contexts: (max, found) =>
    `the model contexts of all apps have ${found} bytes, more than the ${max} that are stored: close some apps`,
  title: (max, found) => `a title of ${found} characters is more than the ${max} that are stored: shorten it`,
};

/** Throws if a value exceeds a limit. */
export function checkLimit(limit: Limit, found: number): void {
  const max = CONVERSATION_LIMITS[limit];
  if (found <= max) return;
  const sentence = SENTENCES[limit](max.toLocaleString("en"), found.toLocaleString("en"));
  throw new ConversationError("conversation-too-large", sentence, limit);
}
