/**
 * The entries of a conversation, and who hears what becomes of them.
 *
 * @module
 */

import type { Progress } from "@vitrine/protocol";
import type {
  AppContext,
  CallItem,
  ConversationChange,
  ConversationItem,
  ConversationState,
  ModelUsage,
} from "@vitrine/wire";
import { NO_TITLE } from "./title.js";

/** Hears what becomes of a conversation, one number after the other. */
export type ConversationListener = (id: string, seq: number, changes: ConversationChange[]) => void;

/** What is not told yet of one entry. All of it, or what was added. */
interface Untold {
  isWhole: boolean;
  text: string;
  input: string;
  progress?: Progress | undefined;
}

/** Hears what is not as it was kept. */
export interface Keeper {
  item(id: string): void;
  removed(id: string): void;
  contexts(): void;
  /** The title, or what was used. */
  state(): void;
}

export interface JournalOptions {
  readonly now: () => number;
  readonly keeper: Keeper;
  readonly onerror: (error: unknown) => void;
}

/** What a journal begins with. */
export type JournalStart = Pick<ConversationState, "id" | "title" | "startedAt" | "changedAt"> &
  Partial<Pick<ConversationState, "items" | "contexts" | "usage">>;

/**
 * Keeps the entries in order. What happens within one turn of the event loop is told at once, as one notice: a model that
 * writes fast does not become a message for each of its tokens, and nothing waits for a timer.
 */
export class Journal {
  readonly id: string;
  readonly startedAt: number;
  #title: string;
  #changedAt: number;
  readonly #items = new Map<string, ConversationItem>();
  #contexts: AppContext[];
  #usage: ModelUsage;
  #isRunning = false;
  #agents: string[] | undefined;
  #seq = 0;
  readonly #options: JournalOptions;
  readonly #listeners = new Map<ConversationListener, () => boolean>();
  readonly #untold = new Map<string, Untold | "removed">();
  #areContextsUntold = false;
  #isStateUntold = false;
  #telling: NodeJS.Immediate | undefined;

  constructor(start: JournalStart, options: JournalOptions) {
    this.id = start.id;
    this.startedAt = start.startedAt;
    this.#title = start.title;
    this.#changedAt = start.changedAt;
    for (const item of start.items ?? []) this.#items.set(item.id, item);
    this.#contexts = start.contexts ?? [];
    this.#usage = start.usage ?? { input: 0, output: 0 };
    this.#options = options;
  }

  get items(): ConversationItem[] {
    return [...this.#items.values()];
  }

  get size(): number {
    return this.#items.size;
  }

  get contexts(): readonly AppContext[] {
    return this.#contexts;
  }

  get title(): string {
    return this.#title;
  }

  get usage(): ModelUsage {
    return this.#usage;
  }

  get changedAt(): number {
    return this.#changedAt;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  get isHeard(): boolean {
    return this.#listeners.size > 0;
  }

  /** How many listeners are there now. A page that lost its connection is not, until it is back. */
  get heardBy(): number {
    return [...this.#listeners.values()].filter((isThere) => isThere()).length;
  }

  /** Whether there is anything that is worth to be kept. */
  get isEmpty(): boolean {
    return this.#items.size === 0 && this.#title === NO_TITLE;
  }

  find(id: string): ConversationItem | undefined {
    return this.#items.get(id);
  }

  /** A call under this name; undefined for another entry, or none. */
  call(id: string): CallItem | undefined {
    const item = this.#items.get(id);
    return item?.kind === "call" ? item : undefined;
  }

  add(item: ConversationItem): void {
    this.#items.set(item.id, item);
    this.#whole(item.id);
  }

  /** Changes an entry. One that was removed meanwhile stays so. */
  update<T extends ConversationItem>(item: T, change: Partial<T>): void {
    Object.assign(item, change);
    if (this.#items.get(item.id) === item) this.#whole(item.id);
  }

  /** Changes what only the page that says it looks at: it is kept, and not told. */
  keep(item: CallItem, page: Record<string, unknown>): void {
    item.page = page;
    this.#options.keeper.item(item.id);
  }

  /** The model went on. */
  addText(item: ConversationItem & { kind: "model" }, text: string): void {
    item.text += text;
    const untold = this.#of(item);
    if (untold) untold.text += text;
  }

  /** It went on with the arguments of a call. */
  addInput(item: CallItem, text: string): void {
    item.inputText = (item.inputText ?? "") + text;
    const untold = this.#of(item);
    if (untold) untold.input += text;
  }

  /** How far a call has come: that is told, and not kept. */
  setProgress(item: CallItem, progress: Progress): void {
    item.progress = progress;
    const untold = this.#of(item, false);
    if (untold) untold.progress = progress;
  }

  remove(id: string): boolean {
    if (!this.#items.delete(id)) return false;
    // One that nobody heard of need not be taken back, but who opened the conversation meanwhile has it.
    this.#untold.delete(id);
    this.#untold.set(id, "removed");
    this.#options.keeper.removed(id);
    this.#changed();
    return true;
  }

  setContexts(contexts: AppContext[]): void {
    this.#contexts = contexts;
    this.#areContextsUntold = true;
    this.#options.keeper.contexts();
    this.#changed();
  }

  setTitle(title: string): void {
    if (title === this.#title) return;
    this.#title = title;
    this.#stateChanged();
  }

  setRunning(isRunning: boolean): void {
    if (isRunning === this.#isRunning) return;
    this.#isRunning = isRunning;
    this.#stateChanged();
  }

  /** Agents read it in place of a model. They are not kept: an agent is there as long as it is connected. */
  setAgents(agents: readonly string[]): void {
    this.#agents = [...agents];
    this.#isStateUntold = true;
    this.#changed();
  }

  addUsage({ input, output }: ModelUsage): void {
    this.#usage = { input: this.#usage.input + input, output: this.#usage.output + output };
    this.#stateChanged();
  }

  /** All of it, as of now: the next notice that is heard has the next number. */
  state(): ConversationState {
    this.tell();
    const { id, startedAt } = this;
    return {
      id,
      startedAt,
      title: this.#title,
      changedAt: this.#changedAt,
      isRunning: this.#isRunning,
      items: this.items.map((item) => ({ ...item })),
      contexts: [...this.#contexts],
      usage: this.#usage,
      ...(this.#agents && { agents: this.#agents }),
      seq: this.#seq,
    };
  }

  /**
   * Adds a listener, and returns what removes it.
   *
   * @param isThere whether the listener is connected now
   */
  subscribe(listener: ConversationListener, isThere = () => true): () => void {
    // What was before is in the state that it has; and it is a function of its own: the same one may listen twice.
    this.tell();
    const own: ConversationListener = (...notice) => listener(...notice);
    this.#listeners.set(own, isThere);
    return () => void this.#listeners.delete(own);
  }

  /** Tells now what would be told at the end of this turn of the event loop. */
  tell(): void {
    clearImmediate(this.#telling);
    this.#telling = undefined;
    const changes = this.#take();
    if (changes.length === 0) return;
    const seq = ++this.#seq;
    for (const listener of [...this.#listeners.keys()]) {
      try {
        listener(this.id, seq, changes);
      } catch (error) {
        this.#options.onerror(error);
      }
    }
  }

  /** Nobody hears of it any more. */
  close(): void {
    this.tell();
    this.#listeners.clear();
  }

  #take(): ConversationChange[] {
    const changes: ConversationChange[] = [];
    for (const [id, untold] of this.#untold) {
      const item = this.#items.get(id);
      if (untold === "removed" || !item) changes.push({ kind: "removed", item: id });
      else if (untold.isWhole) changes.push({ kind: "item", item: { ...item } });
      else {
        if (untold.text) changes.push({ kind: "text", item: id, text: untold.text });
        if (untold.input) changes.push({ kind: "input", item: id, text: untold.input });
        if (untold.progress) changes.push({ kind: "progress", item: id, progress: untold.progress });
      }
    }
    this.#untold.clear();
    if (this.#areContextsUntold) changes.push({ kind: "contexts", contexts: [...this.#contexts] });
    this.#areContextsUntold = false;
    const { title, usage, isRunning } = this;
    const agents = this.#agents && { agents: this.#agents };
    if (this.#isStateUntold) changes.push({ kind: "state", title, isRunning, usage, ...agents });
    this.#isStateUntold = false;
    return changes;
  }

  #of(item: ConversationItem, isKept = true): Untold | undefined {
    if (this.#items.get(item.id) !== item) return undefined;
    let untold = this.#untold.get(item.id);
    if (!untold || untold === "removed")
      this.#untold.set(item.id, (untold = { isWhole: false, text: "", input: "" }));
    if (isKept) this.#itemChanged(item.id);
    else this.#changed();
    return untold;
  }

  #whole(id: string): void {
    const untold = this.#untold.get(id);
    if (untold && untold !== "removed") untold.isWhole = true;
    else this.#untold.set(id, { isWhole: true, text: "", input: "" });
    this.#itemChanged(id);
  }

  #itemChanged(id: string): void {
    this.#options.keeper.item(id);
    this.#changed();
  }

  #stateChanged(): void {
    this.#isStateUntold = true;
    this.#options.keeper.state();
    this.#changed();
  }

  #changed(): void {
    this.#changedAt = this.#options.now();
    // At the end of this turn of the event loop: what came in together is told together.
    this.#telling ??= setImmediate(() => this.tell());
  }
}
