/**
 * Conversations as the database keeps them.
 *
 * @module
 */
import type { AppContext, ConversationItem, ConversationSummary, ModelUsage } from "@vitrine/wire";

/** A conversation in a list, as it is kept: the database does not know whether something in it is under way. */
export type KeptSummary = Omit<ConversationSummary, "isRunning">;

/** All that is kept of a conversation. */
export interface KeptConversation extends KeptSummary {
  /** In the order in which they came. */
  items: ConversationItem[];
  contexts: AppContext[];
  usage: ModelUsage;
}

/** What became of a conversation; what is absent stays as it is. */
export interface ConversationUpdate {
  /** Each takes the place of the one with its `id`; new ones go to the end, in this order. */
  items?: readonly ConversationItem[] | undefined;
  /** The `id`s of entries that go, before those of `items` come. */
  removed?: readonly string[] | undefined;
  /** In place of all that there were. */
  contexts?: readonly AppContext[] | undefined;
  title?: string | undefined;
  usage?: ModelUsage | undefined;
  changedAt?: number | undefined;
}

/** Which conversations. */
export interface ConversationQuery {
  /**
   * Those that have all of these words, or parts of words, in their title or in what was said in them, in upper or lower case. The
   * first 8 count, and the first 16,000 characters of an entry.
   */
  search?: string | undefined;
  /** 100 by default, 1,000 at most; and all that changed in the same millisecond as the last one. */
  limit?: number | undefined;
  /** Only those that changed before this: the `changedAt` of the last one of the page before. */
  before?: number | undefined;
}

/**
 * KeptConversations, each of one person: nobody else reads it, or learns that it is there.
 *
 * What is asked of one conversation is done in the order in which it was asked. What rejects with `audit-failed` may have
 * happened or not, and can be done again: the same update twice is the same as once.
 *
 * @example
 * ```ts source="./conversation.examples.ts#kept"
 * const at = Date.now();
 * await conversations.create("ann", { id: "c1", title: "Shoes", startedAt: at });
 * await conversations.put("ann", "c1", {
 *   items: [{ kind: "user", id: "i1", at, content: [{ type: "text", text: "Red ones, size 38" }] }],
 *   changedAt: at,
 * });
 * // It is on disk.
 * const [found] = await conversations.list("ann", { search: "RED shoes" });
 * const all = found && (await conversations.get("ann", found.id));
 * ```
 */
export interface KeptConversations {
  /** Begins one. False if there is one of this id already; that one stays as it is. */
  create(user: string, begun: Pick<KeptSummary, "id" | "title" | "startedAt">): Promise<boolean>;
  get(user: string, id: string): Promise<KeptConversation | undefined>;
  /** Those that changed last come first. */
  list(user: string, query?: ConversationQuery): Promise<KeptSummary[]>;
  /**
   * Keeps what became of one, all of it or nothing, and resolves when it is on disk. What it is given is read at once, and
   * may change afterwards.
   *
   * @throws {ConversationError} `conversation-unknown`; or `conversation-too-large`, and nothing of it is kept: see `CONVERSATION_LIMITS`
   * @throws {GatewayError} `audit-failed` when it could not be written
   */
  put(user: string, id: string, update: ConversationUpdate): Promise<void>;
  /** Gives it another title; it stays at its place in the list. */
  rename(user: string, id: string, title: string): Promise<void>;
  /** False if there is none of this id. */
  delete(user: string, id: string): Promise<boolean>;
}
