/**
 * Writes a conversation to the store continuously.
 *
 * @module
 */
import { backoff, type Clock } from "@vitrine/servers/support";
import { GatewayError } from "@vitrine/wire";
import type { ConversationUpdate } from "./conversation-store.js";
import type { Journal, Keeper } from "./journal.js";
import type { ConversationStore } from "./ports.js";
import { storedItem } from "./stored-item.js";

/** Options of {@link Saver}. */
export interface SaverOptions {
  readonly user: string;
  readonly store: ConversationStore;
  readonly clock: Clock;
  /** Whether it is in the store already. */
  readonly isStored: boolean;
  /** The schema of a call's arguments. */
  schemaOf(item: string): unknown;
  /** Called when writing fails, and when it works again. */
  onhealth(problem: unknown): void;
  /** Called after the first write, and when the title changed. */
  onlisted(): void;
}

/** Milliseconds that model output may wait: each write contains the whole entry. */
const PAUSE = 500;

/**
 * Collects changes and writes them: soon, or at once for callers of {@link saved}. Failed writes are retried,
 * and nothing is lost while the gateway runs.
 */
export class Saver implements Keeper {
  readonly #options: SaverOptions;
  #journal: Journal | undefined;
  #items = new Set<string>();
  #removed = new Set<string>();
  #areContextsNew = false;
  #isStateNew = false;
  #isStored: boolean;
  #title: string | undefined;
  #isOver = false;
  #isUnderWay = false;
  #failures = 0;
  #timer: (() => void) | undefined;
  /** The current write; never rejects. */
  #writing: Promise<unknown> = Promise.resolve();
  #next: Promise<boolean> | undefined;
  /** Called with the result of the next write, or with false when there is none. */
  #waiting: ((isStored: boolean) => void)[] = [];

  constructor(options: SaverOptions) {
    this.#options = options;
    this.#isStored = options.isStored;
  }

  /** Starts to save this journal. */
  start(journal: Journal): void {
    this.#journal = journal;
    if (this.#isStored) this.#title = journal.title;
  }

  item(id: string): void {
    this.#items.add(id);
    this.#soon();
  }

  removed(id: string): void {
    this.#items.delete(id);
    this.#removed.add(id);
    this.#soon();
  }

  contexts(): void {
    this.#areContextsNew = true;
    this.#soon();
  }

  state(): void {
    this.#isStateNew = true;
    this.#soon();
  }

  /** Whether the store contains all changes: none is waiting or being written, which may still fail. */
  get isClean(): boolean {
    return !this.#isUnderWay && !this.#isChanged;
  }

  get #isChanged(): boolean {
    return this.#items.size > 0 || this.#removed.size > 0 || this.#areContextsNew || this.#isStateNew;
  }

  /** Writes all changes. Resolves when they are stored, or to false if they cannot be written. */
  saved(): Promise<boolean> {
    this.#timer?.();
    this.#timer = undefined;
    this.#next ??= this.#writing.then(() => {
      this.#next = undefined;
      const write = this.#write();
      this.#writing = write;
      void write.then((isStored) => this.#report(isStored));
      return write;
    });
    return this.#next;
  }

  /**
   * Resolves when all changes are stored, however many attempts that takes.
   *
   * @throws {GatewayError} `stopping` if there are no more attempts
   */
  async kept(): Promise<void> {
    let isStored = await this.saved();
    while (!isStored && !this.#isOver)
      isStored = await new Promise<boolean>((resolve) => this.#waiting.push(resolve));
    // A write after the end does nothing.
    if (this.#isOver && this.#isChanged)
      throw new GatewayError("stopping", "the conversation was closed before this was stored: send it again");
  }

  #report(isStored: boolean): void {
    for (const resolve of this.#waiting.splice(0)) resolve(isStored);
  }

  /** Writes all changes, including those that arrive meanwhile, unless writing fails; then stops. */
  async finish(): Promise<void> {
    while (!this.#isOver && (await this.saved()) && this.#isChanged);
    await this.end();
  }

  /** Stops after the conversation was deleted. Resolves when no write is in progress. */
  async end(): Promise<void> {
    this.#isOver = true;
    this.#timer?.();
    await this.#next;
    await this.#writing;
    this.#report(false);
  }

  #soon(pause = PAUSE): void {
    if (this.#isOver || this.#timer) return;
    this.#timer = this.#options.clock.after(pause, () => {
      this.#timer = undefined;
      void this.saved();
    });
  }

  /** Never rejects. */
  async #write(): Promise<boolean> {
    const journal = this.#journal;
    if (!journal || this.#isOver || !this.#isChanged) return true;
    const { user, store, clock, onhealth, onlisted } = this.#options;
    const items = this.#items;
    const removed = this.#removed;
    const areContextsNew = this.#areContextsNew;
    const { id, title, startedAt } = journal;
    this.#items = new Set();
    this.#removed = new Set();
    this.#areContextsNew = this.#isStateNew = false;
    // An empty conversation is not stored: every opened page creates one.
    if (!this.#isStored && journal.isEmpty) return true;
    this.#isUnderWay = true;
    try {
      const write = this.#content(journal, items, removed, areContextsNew);
      if (!this.#isStored) await store.create(user, { id, title, startedAt });
      this.#isStored = true;
      await store.put(user, id, write);
    } catch (error) {
      // In their order: later changes come after it.
      this.#items = new Set([...items, ...this.#items].filter((each) => !this.#removed.has(each)));
      this.#removed = new Set([...removed, ...this.#removed]);
      this.#areContextsNew ||= areContextsNew;
      this.#isStateNew = true;
      this.#failures++;
      onhealth(error);
      this.#soon(backoff(this.#failures, clock.random));
      return false;
    } finally {
      this.#isUnderWay = false;
    }
    if (this.#failures > 0) onhealth(undefined);
    this.#failures = 0;
    if (title !== this.#title) onlisted();
    this.#title = title;
    return true;
  }

  #content(
    journal: Journal,
    items: ReadonlySet<string>,
    removed: ReadonlySet<string>,
    areContextsNew: boolean,
  ): ConversationUpdate {
    return {
      items: [...items].flatMap((id) => {
        const item = journal.find(id);
        return item ? [storedItem(item, this.#options.schemaOf(id))] : [];
      }),
      removed: [...removed],
      ...(areContextsNew && { contexts: [...journal.contexts] }),
      title: journal.title,
      usage: journal.usage,
      settings: journal.settings,
      changedAt: journal.changedAt,
    };
  }
}
