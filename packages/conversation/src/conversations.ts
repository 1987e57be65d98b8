/**
 * The conversations of everybody, as far as they are in memory, and the way to those that are not.
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
import { NO_TITLE } from "./title.js";

/** Options of {@link Conversations}. */
export interface ConversationsOptions extends ConversationPorts {
  readonly limits?: Partial<ConversationLimits> | undefined;
  readonly clock?: Clock | undefined;
  /** Hears what failed and is told to nobody else in full. */
  readonly onerror?: ((error: unknown) => void) | undefined;
  /** A user's list is not what it was. */
  readonly onlisted?: ((user: string) => void) | undefined;
}

/** Conversations in memory that nobody looks at. */
const MAX_IDLE = 50;
/** Milliseconds that one stays in memory: whoever opened it may be about to use it. */
const MIN_IDLE = 60_000;

/**
 * Opens, lists and deletes conversations. A user has only their own: others' are as good as none.
 *
 * @example
 * ```ts source="./conversation.examples.ts#conversations"
 * const conversations = new Conversations({ store: store.conversations, tools, apps, models });
 * const conversation = await conversations.open("ana");
 * const found = await conversations.list("ana", { search: "weather" });
 * // At the end: what is under way is stopped, and all is kept.
 * await conversations.close();
 * ```
 */
export class Conversations {
  readonly #options: ConversationsOptions;
  readonly #limits: ConversationLimits;
  readonly #clock: Clock;
  readonly #live: LiveResults;
  /** In the order in which they were looked at. */
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
   * A conversation; without an id a new one, which is kept as soon as something is said in it.
   *
   * @throws {GatewayError} `conversation-unknown`
   */
  async open(user: string, id?: string): Promise<Conversation> {
    if (this.#isClosed) throw new GatewayError("stopping", "the gateway is stopping");
    if (id === undefined) return this.#begin(user);
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
    // What is in memory may have another title than what is kept.
    await Promise.all(ours.map((each) => each.flush()));
    const running = new Set(ours.filter(({ isRunning }) => isRunning).map(({ id }) => id));
    const found = await this.#options.store.list(user, query);
    return found.map((each) => ({ ...each, isRunning: running.has(each.id) }));
  }

  /** @throws {GatewayError} `conversation-unknown` */
  async rename(user: string, id: string, title: string): Promise<void> {
    await (await this.open(user, id)).rename(title);
  }

  /** Deletes one, and stops what is under way in it. @throws {GatewayError} `conversation-unknown` */
  async delete(user: string, id: string): Promise<void> {
    const key = keyOf(user, id);
    const conversation = await this.open(user, id);
    const gone = conversation.discard().then(async () => {
      await this.#options.store.delete(user, id);
      return undefined;
    });
    this.#forget(key);
    // Who opens it meanwhile waits, and finds none.
    this.#open.set(key, gone);
    try {
      await gone;
    } finally {
      if (this.#open.get(key) === gone) this.#forget(key);
    }
    this.#options.onlisted?.(user);
  }

  /** Other limits hold from now on, for turns that are under way as well. */
  setLimits(limits: Partial<ConversationLimits>): void {
    Object.assign(this.#limits, limits);
  }

  /** Those in which something is under way. */
  get running(): number {
    return [...this.#loaded.values()].filter(({ isRunning }) => isRunning).length;
  }

  /** Calls go on, and models are asked nothing more: {@link close} comes soon. */
  windDown(): void {
    this.#isWindingDown = true;
    for (const conversation of this.#loaded.values()) conversation.windDown();
  }

  /** Stops everything, and resolves when all is kept. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#open.values());
    await Promise.all([...this.#loaded.values()].map((each) => each.close()));
    this.#open.clear();
    this.#loaded.clear();
    this.#lookedAt.clear();
  }

  #begin(user: string): Conversation {
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
      // It may be there the next time.
      this.#forget(keyOf(user, id));
      throw error;
    }
  }

  /** @param recalled of one that is in the store: how calls ended that were under way */
  #make(user: string, start: ConversationStart, recalled?: ReadonlyMap<string, RecalledCall>): Conversation {
    const { store, tools, apps, models, onerror = () => {}, onlisted } = this.#options;
    const conversation = new Conversation({
      user,
      start,
      isStored: recalled !== undefined,
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

  /** Forgets what nobody has looked at for longest: the store has it. */
  #tidy(): void {
    const before = this.#clock.now() - MIN_IDLE;
    const idle = [...this.#open.keys()].filter((key) => this.#loaded.get(key)?.isIdle);
    for (const key of idle.slice(0, Math.max(0, idle.length - MAX_IDLE)))
      if ((this.#lookedAt.get(key) ?? 0) < before) this.#forget(key);
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
