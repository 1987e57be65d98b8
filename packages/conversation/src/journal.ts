/**
 * The entries of a conversation, and listeners for their changes.
 *
 * @module
 */

import { Listeners, type Progress } from "@vitrine/protocol";
import {
  type AnswerSettings,
  type AppContext,
  type CallItem,
  type ConversationChange,
  type ConversationItem,
  type ConversationState,
  forkBefore,
  type ModelUsage,
  shownItems,
  type VersionItem,
} from "@vitrine/wire";
import { newItemId } from "./item-id.js";
import { addUsage } from "./model/model-cost.js";
import { NO_TITLE } from "./title.js";

/** An entry that can be shown. */
export type ShownItem = Exclude<ConversationItem, VersionItem>;

/** Receives the changes of a conversation, with consecutive numbers. */
export type ConversationListener = (id: string, seq: number, changes: ConversationChange[]) => void;

/** Changes of an entry that listeners do not know yet: all of it, or additions. */
interface PendingChange {
  isWhole: boolean;
  text: string;
  input: string;
  progress?: Progress | undefined;
}

/** Receives changes that are not stored yet. */
export interface Keeper {
  item(id: string): void;
  removed(id: string): void;
  contexts(): void;
  /** The title or the usage changed. */
  state(): void;
}

export interface JournalOptions {
  readonly now: () => number;
  readonly keeper: Keeper;
  readonly onerror: (error: unknown) => void;
}

/** The initial state of a journal. */
export type JournalStart = Pick<ConversationState, "id" | "title" | "startedAt" | "changedAt"> &
  Partial<Pick<ConversationState, "items" | "contexts" | "usage" | "settings">>;

/**
 * Holds the entries in order. Changes within one turn of the event loop are sent as a single notice, so a
 * fast model does not cause a message per token, and no timer delays anything.
 */
export class Journal {
  readonly id: string;
  readonly startedAt: number;
  #title: string;
  #changedAt: number;
  readonly #items = new Map<string, ConversationItem>();
  /** The cached list of shown entries. */
  #shown: ShownItem[] | undefined;
  #contexts: AppContext[];
  #usage: ModelUsage;
  #settings: AnswerSettings;
  #isRunning = false;
  #agents: string[] | undefined;
  #seq = 0;
  readonly #options: JournalOptions;
  readonly #listeners: Listeners<Parameters<ConversationListener>>;
  /** Whether each listener is connected now. */
  readonly #connected = new Set<() => boolean>();
  readonly #pending = new Map<string, PendingChange | "removed">();
  #areContextsPending = false;
  #isStatePending = false;
  #notifying: NodeJS.Immediate | undefined;

  constructor(start: JournalStart, options: JournalOptions) {
    this.id = start.id;
    this.startedAt = start.startedAt;
    this.#title = start.title;
    this.#changedAt = start.changedAt;
    for (const item of start.items ?? []) this.#items.set(item.id, item);
    this.#contexts = start.contexts ?? [];
    this.#usage = start.usage ?? { input: 0, output: 0 };
    this.#settings = start.settings ?? {};
    this.#options = options;
    this.#listeners = new Listeners(options.onerror);
  }

  /** The entries of the version that is shown, in order. */
  get items(): ShownItem[] {
    return (this.#shown ??= shownItems(this.all));
  }

  /** All entries, in order of arrival. */
  get all(): ConversationItem[] {
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

  /** The user's choices for the answers. */
  get settings(): AnswerSettings {
    return this.#settings;
  }

  get changedAt(): number {
    return this.#changedAt;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Whether external agents answer instead of a model. */
  get isAnsweredElsewhere(): boolean {
    return this.#agents !== undefined;
  }

  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

  /**
   * Number of listeners that are connected now. A page without a connection does not count until it returns.
   */
  get listenerCount(): number {
    return [...this.#connected].filter((isThere) => isThere()).length;
  }

  /** Whether there is nothing to store. */
  get isEmpty(): boolean {
    return this.#items.size === 0 && this.#title === NO_TITLE;
  }

  find(id: string): ConversationItem | undefined {
    return this.#items.get(id);
  }

  /** The call with this id; undefined if there is none, or if the entry is not a call. */
  call(id: string): CallItem | undefined {
    const item = this.#items.get(id);
    return item?.kind === "call" ? item : undefined;
  }

  add(item: ConversationItem): void {
    const version = this.#version();
    if (item.kind !== "version" && version) item.inVersion = version.id;
    this.#items.set(item.id, item);
    this.#shown = undefined;
    this.#whole(item.id);
  }

  /** Begins a new version, and shows it. */
  fork(place: Pick<VersionItem, "parent" | "after">): void {
    this.showVersion(undefined);
    const { parent, after } = place;
    this.add({
      kind: "version",
      id: newItemId(),
      at: this.#options.now(),
      ...(parent !== undefined && { parent }),
      ...(after !== undefined && { after }),
      isShown: true,
    });
  }

  /** Shows a version; without an id, the first one. */
  showVersion(id: string | undefined): void {
    for (const item of this.#items.values())
      if (item.kind === "version" && (item.isShown ?? false) !== (item.id === id))
        this.update(item, { isShown: item.id === id || undefined });
    this.#shown = undefined;
  }

  #version(): VersionItem | undefined {
    for (const item of this.#items.values()) if (item.kind === "version" && item.isShown) return item;
    return undefined;
  }

  /** Changes an entry. A removed entry stays removed. */
  update<T extends ConversationItem>(item: T, change: Partial<T>): void {
    Object.assign(item, change);
    if (this.#items.get(item.id) === item) this.#whole(item.id);
  }

  /** Stores data of the page with a call, without notifying listeners: only that page uses it. */
  keep(item: CallItem, page: Record<string, unknown>): void {
    item.page = page;
    this.#options.keeper.item(item.id);
  }

  /** Adds text of the model. */
  addText(item: ConversationItem & { kind: "model" }, text: string): void {
    item.text += text;
    const pending = this.#of(item);
    if (pending) pending.text += text;
  }

  /** Adds to the arguments of a call. */
  addInput(item: CallItem, text: string): void {
    item.inputText = (item.inputText ?? "") + text;
    const pending = this.#of(item);
    if (pending) pending.input += text;
  }

  /** Sets the progress of a call, which is sent to listeners but not stored. */
  setProgress(item: CallItem, progress: Progress): void {
    item.progress = progress;
    const pending = this.#of(item, false);
    if (pending) pending.progress = progress;
  }

  remove(id: string): boolean {
    if (!this.#items.has(id)) return false;
    // Versions that begin after it begin after the entry before it.
    const forks = this.all.filter((item) => item.kind === "version" && item.after === id);
    if (forks.length > 0) {
      const place = forkBefore(this.all, id) ?? placeBefore(this.all, id);
      for (const fork of forks) if (fork.kind === "version") this.update(fork, place);
    }
    this.#items.delete(id);
    this.#shown = undefined;
    // Also sent for an entry that was never announced: a page that opened the conversation meanwhile has it.
    this.#pending.delete(id);
    this.#pending.set(id, "removed");
    this.#options.keeper.removed(id);
    this.#changed();
    return true;
  }

  setContexts(contexts: AppContext[]): void {
    this.#contexts = contexts;
    this.#areContextsPending = true;
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

  /**
   * Sets the external agents that answer instead of a model. They are not stored, because they exist only
   * while connected.
   */
  setAgents(agents: readonly string[]): void {
    this.#agents = [...agents];
    this.#isStatePending = true;
    this.#changed();
  }

  addUsage(usage: ModelUsage): void {
    this.#usage = addUsage(this.#usage, usage);
    this.#stateChanged();
  }

  setSettings(settings: AnswerSettings): void {
    this.#settings = settings;
    this.#stateChanged();
  }

  /** The complete current state. The next notice has the next number. */
  state(): ConversationState {
    this.notify();
    const { id, startedAt } = this;
    return {
      id,
      startedAt,
      title: this.#title,
      changedAt: this.#changedAt,
      isRunning: this.#isRunning,
      items: this.all.map((item) => ({ ...item })),
      contexts: [...this.#contexts],
      usage: this.#usage,
      ...(Object.keys(this.#settings).length > 0 && { settings: { ...this.#settings } }),
      ...(this.#agents && { agents: this.#agents }),
      seq: this.#seq,
    };
  }

  /**
   * Adds a listener, and returns a function that removes it.
   *
   * @param isThere whether the listener is connected now
   */
  subscribe(listener: ConversationListener, isThere = () => true): () => void {
    // Send earlier changes first: they are in the state that the listener has.
    this.notify();
    const remove = this.#listeners.add(listener);
    const own = (): boolean => isThere();
    this.#connected.add(own);
    return () => {
      remove();
      this.#connected.delete(own);
    };
  }

  /** Sends now what would be sent at the end of this turn of the event loop. */
  notify(): void {
    clearImmediate(this.#notifying);
    this.#notifying = undefined;
    const changes = this.#take();
    if (changes.length === 0) return;
    const seq = ++this.#seq;
    this.#listeners.notify(this.id, seq, changes);
  }

  /** Removes all listeners. */
  close(): void {
    this.notify();
    this.#listeners.clear();
    this.#connected.clear();
  }

  #take(): ConversationChange[] {
    const changes: ConversationChange[] = [];
    for (const [id, pending] of this.#pending) {
      const item = this.#items.get(id);
      if (pending === "removed" || !item) changes.push({ kind: "removed", item: id });
      else if (pending.isWhole) changes.push({ kind: "item", item: { ...item } });
      else {
        if (pending.text) changes.push({ kind: "text", item: id, text: pending.text });
        if (pending.input) changes.push({ kind: "input", item: id, text: pending.input });
        if (pending.progress) changes.push({ kind: "progress", item: id, progress: pending.progress });
      }
    }
    this.#pending.clear();
    if (this.#areContextsPending) changes.push({ kind: "contexts", contexts: [...this.#contexts] });
    this.#areContextsPending = false;
    const { title, usage, isRunning } = this;
    const agents = this.#agents && { agents: this.#agents };
    const settings = Object.keys(this.#settings).length > 0 && { settings: { ...this.#settings } };
    if (this.#isStatePending)
      changes.push({ kind: "state", title, isRunning, usage, ...settings, ...agents });
    this.#isStatePending = false;
    return changes;
  }

  #of(item: ConversationItem, isKept = true): PendingChange | undefined {
    if (this.#items.get(item.id) !== item) return undefined;
    let pending = this.#pending.get(item.id);
    if (!pending || pending === "removed")
      this.#pending.set(item.id, (pending = { isWhole: false, text: "", input: "" }));
    if (isKept) this.#itemChanged(item.id);
    else this.#changed();
    return pending;
  }

  #whole(id: string): void {
    const pending = this.#pending.get(id);
    if (pending && pending !== "removed") pending.isWhole = true;
    else this.#pending.set(id, { isWhole: true, text: "", input: "" });
    this.#itemChanged(id);
  }

  #itemChanged(id: string): void {
    this.#options.keeper.item(id);
    this.#changed();
  }

  #stateChanged(): void {
    this.#isStatePending = true;
    this.#options.keeper.state();
    this.#changed();
  }

  #changed(): void {
    this.#changedAt = this.#options.now();
    // At the end of this turn of the event loop, so that simultaneous changes form one notice.
    this.#notifying ??= setImmediate(() => this.notify());
  }
}

/** The last entry before one that is not shown, in the same version. */
function placeBefore(items: readonly ConversationItem[], id: string): Pick<VersionItem, "parent" | "after"> {
  const at = items.findIndex((item) => item.id === id);
  const removed = items[at];
  const version = removed?.kind === "version" ? undefined : removed?.inVersion;
  const before = items
    .slice(0, Math.max(0, at))
    .findLast((item) => item.kind !== "version" && item.inVersion === version);
  if (before) return { parent: version, after: before.id };
  const own = items.find((item) => item.kind === "version" && item.id === version);
  return own?.kind === "version"
    ? { parent: own.parent, after: own.after }
    : { parent: undefined, after: undefined };
}
