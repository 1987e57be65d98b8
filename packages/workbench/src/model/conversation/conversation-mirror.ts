/**
 * A local copy of a conversation at the gateway.
 *
 * @module
 */
import {
  type AlternativeVersions,
  type AnswerSettings,
  type AppContext,
  alternatives,
  type ConversationChange,
  type ConversationItem,
  type ConversationNotices,
  type ConversationState,
  type ModelItem,
  type ModelUsage,
  type NoteItem,
  shownItems,
  type CallItem as ToldCall,
  type UserItem,
  type VersionItem,
} from "@vitrine/wire";
import type { PageCall } from "../app/call-item.js";
import { readContent, readProgress } from "../app/foreign.js";

/** An entry. A call is mutable and notifies of changes; all others are replaced. */
export type Item = UserItem | ModelItem | NoteItem | PageCall;

/** The same object each time, so that nothing is drawn again. */
const NO_SETTINGS: AnswerSettings = {};

/** Owner of the calls. */
export interface MirrorHome {
  /** A new call; returns undefined for one that the page does not want. */
  came(told: ToldCall): PageCall | undefined;
  /**
   * A call was added or changed.
   *
   * @param isNow whether it has just happened, rather than before the conversation was opened
   */
  changed(item: PageCall, isNow: boolean): void;
  /** A call was removed. */
  gone(item: PageCall): void;
  /** A call belongs to a version that is not shown any more. */
  hidden(item: PageCall): void;
}

/** Follows a conversation: first its whole state, then its changes by number. */
export class ConversationMirror {
  readonly id: string;
  title = "";
  isRunning = false;
  usage: ModelUsage = { input: 0, output: 0 };
  agents: readonly string[] | undefined;
  /** The user's choices for the answers. */
  settings: AnswerSettings = NO_SETTINGS;
  contexts: readonly AppContext[] = [];
  readonly #home: MirrorHome;
  /** The calls that are shown. */
  #calls = new Set<PageCall>();
  #entries = new Map<string, Item | VersionItem>();
  #seq = 0;
  /** The cached list of entries. */
  #list: readonly Item[] | undefined;
  #alternatives: ReadonlyMap<string, AlternativeVersions> | undefined;

  constructor(id: string, home: MirrorHome) {
    this.id = id;
    this.#home = home;
  }

  /** The entries of the version that is shown. */
  get items(): readonly Item[] {
    return (this.#list ??= shownItems([...this.#entries.values()]));
  }

  /** The ids of all entries, of all versions. */
  get all(): readonly string[] {
    return [...this.#entries.keys()];
  }

  /** Where the conversation has several versions, by the first shown entry after each place. */
  get alternatives(): ReadonlyMap<string, AlternativeVersions> {
    return (this.#alternatives ??= alternatives([...this.#entries.values()]));
  }

  has(item: Item): boolean {
    return this.#entries.get(item.id) === item;
  }

  /** Whether an entry is part of the version that is shown. */
  shows(item: Item): boolean {
    return this.has(item) && this.items.includes(item);
  }

  /** Applies a whole state. Existing calls stay the same objects. */
  take({ items, contexts, seq, ...state }: ConversationState): void {
    const before = this.#entries;
    this.#entries = new Map();
    this.#seq = seq;
    for (const item of items) {
      const known = before.get(item.id);
      if (known) this.#entries.set(item.id, known);
      before.delete(item.id);
      this.#put(item, false);
    }
    this.#renew();
    for (const item of before.values()) if (item.kind === "call") this.#gone(item);
    this.#showCalls(true);
    this.#say(state);
    this.contexts = contexts.map(readContext);
  }

  /** Applies changes. Returns false if some were missed: then it must be opened again. */
  hear({ seq, changes }: ConversationNotices["conversation/changed"]): boolean {
    // Already part of a later state.
    if (seq <= this.#seq) return true;
    // An empty list announces that changes were skipped.
    if (seq > this.#seq + 1 || changes.length === 0) return false;
    this.#seq = seq;
    for (const change of changes) this.#apply(change);
    if (changes.some((change) => change.kind === "item" && change.item.kind === "version"))
      this.#showCalls(false);
    return true;
  }

  /** Removes an entry before the gateway confirms it. */
  drop(item: Item): void {
    if (this.has(item)) this.#delete(item.id);
  }

  #apply(change: ConversationChange): void {
    if (change.kind === "item") this.#put(change.item, true);
    else if (change.kind === "state") this.#say(change);
    else if (change.kind === "contexts") this.contexts = change.contexts.map(readContext);
    else if (change.kind === "removed") {
      const item = this.#entries.get(change.item);
      this.#delete(change.item);
      if (item?.kind === "call") this.#gone(item);
    } else this.#grow(change, this.#entries.get(change.item));
  }

  #grow(
    change: Extract<ConversationChange, { kind: "text" | "input" | "progress" }>,
    item: Item | VersionItem | undefined,
  ): void {
    if (change.kind === "text" && item?.kind === "model")
      this.#set({ ...item, text: item.text + change.text });
    else if (change.kind === "input" && item?.kind === "call") item.write(change.text);
    else if (change.kind === "progress" && item?.kind === "call")
      item.update({ progress: readProgress(change.progress) });
  }

  #put(told: ConversationItem, isNow: boolean): void {
    if (told.kind !== "call") {
      this.#set(told.kind === "user" ? { ...told, content: readContent(told.content) } : told);
      return;
    }
    const known = this.#entries.get(told.id);
    if (known?.kind === "call") known.take(told);
    const item = known?.kind === "call" ? known : this.#home.came(told);
    if (!item) return;
    if (item !== known) this.#set(item);
    // While a whole state is taken, it is not known yet which version is shown.
    if (!isNow || !this.items.includes(item)) return;
    this.#calls.add(item);
    this.#home.changed(item, isNow);
  }

  #set(item: Item | VersionItem): void {
    this.#entries.set(item.id, item);
    this.#renew();
  }

  #delete(id: string): void {
    this.#entries.delete(id);
    this.#renew();
  }

  #renew(): void {
    this.#list = undefined;
    this.#alternatives = undefined;
  }

  #gone(item: PageCall): void {
    this.#calls.delete(item);
    this.#home.gone(item);
  }

  /** Opens the apps of calls that are shown now, and closes those of calls that no longer are. */
  #showCalls(isWhole: boolean): void {
    const before = this.#calls;
    const shown = this.items.flatMap((item) => (item.kind === "call" ? [item] : []));
    this.#calls = new Set(shown);
    for (const item of before) if (!this.#calls.has(item)) this.#home.hidden(item);
    for (const item of shown) if (isWhole || !before.has(item)) this.#home.changed(item, false);
  }

  #say(state: Pick<ConversationState, "title" | "isRunning" | "usage" | "settings" | "agents">): void {
    const { title, isRunning, usage, settings = NO_SETTINGS, agents } = state;
    this.title = title;
    this.isRunning = isRunning;
    this.usage = usage;
    this.settings = settings;
    this.agents = agents;
  }
}

/** An app's context may be anything. */
const readContext = (context: AppContext): AppContext => ({
  ...context,
  ...(context.content !== undefined && { content: readContent(context.content) }),
});
