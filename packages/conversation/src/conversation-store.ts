/**
 * The interface of stored conversations.
 *
 * @module
 */
import type {
  AnswerSettings,
  AppContext,
  ConversationItem,
  ConversationSummary,
  ModelUsage,
} from "@vitrine/wire";

/** A stored conversation in a list. The database does not know whether it is running. */
export type KeptSummary = Omit<ConversationSummary, "isRunning">;

/** A stored conversation. */
export interface LoadedConversation extends KeptSummary {
  /** In order of arrival. */
  items: ConversationItem[];
  contexts: AppContext[];
  usage: ModelUsage;
  /** The user's choices for the answers. */
  settings?: AnswerSettings | undefined;
}

/** Changes of a conversation. Absent members stay unchanged. */
export interface ConversationUpdate {
  /** Each replaces the entry with its `id`; new entries are appended in this order. */
  items?: readonly ConversationItem[] | undefined;
  /** The `id`s of entries to remove, before `items` are added. */
  removed?: readonly string[] | undefined;
  /** Replaces all contexts. */
  contexts?: readonly AppContext[] | undefined;
  title?: string | undefined;
  usage?: ModelUsage | undefined;
  settings?: AnswerSettings | undefined;
  changedAt?: number | undefined;
}

/** Selects conversations. */
export interface ConversationQuery {
  /**
   * Conversations that contain all of these words, or parts of words, in the title or in the messages,
   * ignoring case. The first 8 words count, and the first 16,000 characters of an entry.
   */
  search?: string | undefined;
  /** 100 by default, 1,000 at most; plus all that changed in the same millisecond as the last one. */
  limit?: number | undefined;
  /** Only conversations that changed before this: the `changedAt` of the last one of the previous page. */
  before?: number | undefined;
}

/**
 * Stored conversations. Each belongs to one user; others can neither read it nor learn that it exists.
 *
 * Operations on a conversation run in the order of the calls. An operation that rejects with `audit-failed`
 * may or may not have happened, and can be repeated: applying an update twice has the same effect as once.
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
  /** Creates a conversation. Returns false if the id exists already; that conversation stays unchanged. */
  create(user: string, started: Pick<KeptSummary, "id" | "title" | "startedAt">): Promise<boolean>;
  get(user: string, id: string): Promise<LoadedConversation | undefined>;
  /** Sorted by the last change, newest first. */
  list(user: string, query?: ConversationQuery): Promise<KeptSummary[]>;
  /**
   * Applies an update atomically, and resolves when it is on disk. The update is read at once, so it may
   * change afterwards.
   *
   * @throws {ConversationError} `conversation-unknown`; or `conversation-too-large`, and nothing is stored:
   * see `CONVERSATION_LIMITS`
   * @throws {GatewayError} `audit-failed` if it could not be written
   */
  put(user: string, id: string, update: ConversationUpdate): Promise<void>;
  /** Changes the title. The position in the list stays the same. */
  rename(user: string, id: string, title: string): Promise<void>;
  /**
   * Returns false if there is no conversation of this id. While a legal hold keeps the conversation, it only
   * disappears for its user, and is deleted by {@link prune} after the hold.
   */
  delete(user: string, id: string): Promise<boolean>;
  /**
   * Deletes conversations that did not change since `before`, and completes earlier deletions. Without `before`,
   * only the latter. Conversations that a legal hold keeps, or that are in use, stay.
   *
   * @returns the users who lost a conversation from their list
   */
  prune(before: number | undefined, isInUse: (user: string, id: string) => boolean): Promise<string[]>;
}
