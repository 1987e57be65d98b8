/**
 * The conversations of all users: those in memory, and access to the others.
 *
 * @module
 */
import { randomUUID } from "node:crypto";
import { type Clock, systemClock } from "@vitrine/servers/support";
import { type ConversationSummary, GatewayError } from "@vitrine/wire";
import { Conversation } from "./conversation.js";
import type { ConversationQuery } from "./conversation-store.js";
import { type ConversationLimits, DEFAULT_LIMITS } from "./limits.js";
import { LiveResults } from "./live-results.js";
import { recallCalls } from "./lost-calls.js";
import type { ConversationPorts, RecalledCall } from "./ports.js";
import { storedItem } from "./stored-item.js";
import { NO_TITLE } from "./title.js";

/** Options of {@link Conversations}. */
export interface ConversationsOptions extends ConversationPorts {
  readonly limits?: Partial<ConversationLimits> | undefined;
  readonly clock?: Clock | undefined;
  /**
   * Whether others share the store, and may continue a conversation at any time. Then an entry that cannot be stored is not
   * acknowledged: its request waits until it is stored, or fails with `stopping`. False by default.
   */
  readonly isShared?: boolean | undefined;
  /** Called with errors that no caller receives in full. */
  readonly onerror?: ((error: unknown) => void) | undefined;
  /** Called when a user's list has changed. */
  readonly onlisted?: ((user: string) => void) | undefined;
}

/** Maximum number of idle conversations in memory. */
const MAX_IDLE = 50;
/** Milliseconds that a conversation stays in memory: it may be used right after it was opened. */
const MIN_IDLE = 60_000;

/**
 * Opens, lists and deletes conversations. For each user, the conversations of others do not exist.
 *
 * @example
 * ```ts source="./conversation.examples.ts#conversations"
 * const conversations = new Conversations({ store: store.conversations, tools, apps, models });
 * const conversation = await conversations.open("ana");
 * const found = await conversations.list("ana", { search: "weather" });
 * // At the end: stops everything that is running, and stores all changes.
 * await conversations.close();
 * ```
 */
export class Conversations {
  readonly #options: ConversationsOptions;
  readonly #limits: ConversationLimits;
  readonly #clock: Clock;
  readonly #live: LiveResults;
  /** In order of last use. */
  readonly #open = new Map<string, Promise<Conversation | undefined>>();
  readonly #lookedAt = new Map<string, number>();
  readonly #loaded = new Map<string, Conversation>();
  #isWindingDown = false;
  #isClosed = false;

  constructor(options: ConversationsOptions) {
    this.#options = options;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#clock = options.clock ?? systemClock;
    this.#live = new LiveResults(this.#limits);
  }

  /**
   * Opens a conversation. Without an id, creates one, which is stored after its first entry.
   *
   * @throws {GatewayError} `conversation-unknown`
   */
  async open(user: string, id?: string): Promise<Conversation> {
    if (this.#isClosed) throw new GatewayError("stopping", "the gateway is stopping");
    if (id === undefined) return this.#start(user);
    const key = keyOf(user, id);
    const opening = this.#open.get(key) ?? this.#load(user, id);
    this.#look(key, opening);
    const conversation = await opening;
    if (conversation) return conversation;
    throw new GatewayError("conversation-unknown", "there is no such conversation: it may have been deleted");
  }

  /** A user's conversations, newest first. */
  async list(user: string, query: ConversationQuery = {}): Promise<ConversationSummary[]> {
    const ours = [...this.#loaded.values()].filter((each) => each.user === user);
    // A conversation in memory may have a newer title than the store.
    await Promise.all(ours.map((each) => each.flush()));
    const running = new Set(ours.filter(({ isRunning }) => isRunning).map(({ id }) => id));
    const found = await this.#options.store.list(user, query);
    return found.map((each) => ({ ...each, isRunning: running.has(each.id) }));
  }

  /**
   * Copies the shown entries of a conversation up to one into a new conversation. Resolves to its id when it is
   * stored.
   *
   * @throws {GatewayError} `conversation-unknown`, `item-unknown`
   */
  async branch(user: string, id: string, item: string): Promise<string> {
    const from = await this.open(user, id);
    const items = from.copyUntil(item);
    const now = this.#clock.now();
    const start = { id: randomUUID(), title: from.title, startedAt: now };
    await this.#options.store.create(user, start);
    await this.#options.store.put(user, start.id, {
      items: items.map((each) => storedItem(each, undefined)),
      title: from.title,
      changedAt: now,
    });
    this.#options.onlisted?.(user);
    return start.id;
  }

  /** @throws {GatewayError} `conversation-unknown` */
  async rename(user: string, id: string, title: string): Promise<void> {
    await (await this.open(user, id)).rename(title);
  }

  /** Deletes a conversation, and stops everything in it. @throws {GatewayError} `conversation-unknown` */
  async delete(user: string, id: string): Promise<void> {
    const key = keyOf(user, id);
    const conversation = await this.open(user, id);
    const gone = conversation.discard().then(async () => {
      await this.#options.store.delete(user, id);
      return undefined;
    });
    this.#forget(key);
    // Callers that open it meanwhile wait, and find none.
    this.#open.set(key, gone);
    try {
      await gone;
    } finally {
      if (this.#open.get(key) === gone) this.#forget(key);
    }
    this.#options.onlisted?.(user);
  }

  /**
   * Deletes conversations that did not change since `before`, in milliseconds since 1970, and completes earlier
   * deletions. Conversations that are open in a page, or were opened in the last minute, stay.
   */
  async prune(before?: number): Promise<void> {
    const users = await this.#options.store.prune(before, (user, id) => this.#isInUse(user, id));
    for (const user of users) this.#options.onlisted?.(user);
  }

  /** Changes the limits, for running turns as well. */
  setLimits(limits: Partial<ConversationLimits>): void {
    Object.assign(this.#limits, limits);
  }

  /** Number of running conversations. */
  get running(): number {
    return [...this.#loaded.values()].filter(({ isRunning }) => isRunning).length;
  }

  /** Whether a turn of the user's conversations is running. */
  isRunning(user: string): boolean {
    return this.#of(user).some(({ isRunning }) => isRunning);
  }

  /**
   * Lets calls continue, and asks models nothing more; {@link close} follows soon. With a user, only in that
   * user's loaded conversations; {@link release} follows.
   */
  windDown(user?: string): void {
    if (user === undefined) this.#isWindingDown = true;
    for (const conversation of this.#of(user)) conversation.windDown();
  }

  /** Stops everything in a user's conversations, and drops them from memory when all changes are stored. */
  async release(user: string): Promise<void> {
    const opening = [...this.#open].filter(([key]) => key.startsWith(keyOf(user, "")));
    await Promise.allSettled(opening.map(([, conversation]) => conversation));
    await Promise.all(this.#of(user).map((each) => each.close()));
    for (const { id } of this.#of(user)) this.#forget(keyOf(user, id));
  }

  /** The loaded conversations: of one user, or all. */
  #of(user: string | undefined): Conversation[] {
    return [...this.#loaded.values()].filter((each) => user === undefined || each.user === user);
  }

  /** Stops everything, and resolves when all changes are stored. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#open.values());
    await Promise.all([...this.#loaded.values()].map((each) => each.close()));
    this.#open.clear();
    this.#loaded.clear();
    this.#lookedAt.clear();
  }

  #start(user: string): Conversation {
    const now = this.#clock.now();
    const id = randomUUID();
    const start = { id, title: NO_TITLE, startedAt: now, changedAt: now };
    const conversation = this.#make(user, start);
    this.#look(keyOf(user, id), Promise.resolve(conversation));
    return conversation;
  }

  #look(key: string, opening: Promise<Conversation | undefined>): void {
    this.#open.delete(key);
    this.#open.set(key, opening);
    this.#lookedAt.set(key, this.#clock.now());
  }

  async #load(user: string, id: string): Promise<Conversation | undefined> {
    try {
      const stored = await this.#options.store.get(user, id);
      if (stored) return this.#make(user, stored, await recallCalls(this.#options.tools, user, stored));
      this.#forget(keyOf(user, id));
      return undefined;
    } catch (error) {
      // The next attempt may succeed.
      this.#forget(keyOf(user, id));
      throw error;
    }
  }

  /** @param recalled for a stored conversation: the outcomes of calls that were running */
  #make(user: string, start: ConversationStart, recalled?: ReadonlyMap<string, RecalledCall>): Conversation {
    const { store, tools, apps, models, onerror = () => {}, onlisted } = this.#options;
    const conversation = new Conversation({
      user,
      start,
      isStored: recalled !== undefined,
      isShared: this.#options.isShared ?? false,
      recalled,
      store,
      tools,
      apps,
      models,
      onerror,
      limits: this.#limits,
      live: this.#live,
      clock: this.#clock,
      onlisted: () => onlisted?.(user),
      onidle: () => this.#tidy(),
    });
    if (this.#isWindingDown) conversation.windDown();
    this.#loaded.set(keyOf(user, start.id), conversation);
    this.#tidy();
    return conversation;
  }

  /** Drops the least recently used idle conversations from memory. They are in the store. */
  #tidy(): void {
    const before = this.#clock.now() - MIN_IDLE;
    const idle = [...this.#open.keys()].filter((key) => this.#loaded.get(key)?.isIdle);
    for (const key of idle.slice(0, Math.max(0, idle.length - MAX_IDLE)))
      if ((this.#lookedAt.get(key) ?? 0) < before) this.#forget(key);
  }

  /** Whether the conversation is in memory and somebody may change it. One that nobody needs is dropped. */
  #isInUse(user: string, id: string): boolean {
    const key = keyOf(user, id);
    if (!this.#open.has(key)) return false;
    const isRecent = (this.#lookedAt.get(key) ?? 0) >= this.#clock.now() - MIN_IDLE;
    if (isRecent || this.#loaded.get(key)?.isIdle !== true) return true;
    this.#forget(key);
    return false;
  }

  #forget(key: string): void {
    this.#loaded.get(key)?.forgotten();
    this.#open.delete(key);
    this.#loaded.delete(key);
    this.#lookedAt.delete(key);
  }
}

type ConversationStart = ConstructorParameters<typeof Conversation>[0]["start"];

const keyOf = (user: string, id: string): string => JSON.stringify([user, id]);
