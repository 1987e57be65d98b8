/**
 * A conversation: its entries, its turns, and its apps.
 *
 * @module
 */

import { type ContentBlock, INVALID_PARAMS, type Tool, VitrineError } from "@vitrine/protocol";
import type {
  AnswerSettings,
  ConversationItem,
  ConversationState,
  ModelView,
  NoteItem,
  SpeakingApp,
} from "@vitrine/wire";
import type { OpenAppState, SaidContext } from "./apps.js";
import type { CallEventListener } from "./call-reporter.js";
import { type ConversationOptions, ConversationParts } from "./conversation-parts.js";
import { copiedItems } from "./copied-items.js";
import { EntryRequests, type NewCallOptions } from "./entry-requests.js";
import { unknownItem } from "./item-id.js";
import type { ConversationListener } from "./journal.js";

const LONGEST_TITLE = 200;
const STOPPED = "stopped by the user";
const STOPPING = "the gateway is stopping";

/**
 * A conversation in memory. Every event is an entry, or a change of one. Listeners receive the changes in
 * order, and the store contains them soon after; operations resolve only after their changes are stored.
 *
 * @example
 * ```ts source="./conversation.examples.ts#conversation"
 * const conversation = await conversations.open("ana");
 * send(JSON.stringify(conversation.state()));
 * const leave = conversation.subscribe((id, seq, changes) => send(JSON.stringify({ id, seq, changes })));
 * await conversation.send([{ type: "text", text: "Will it rain in Rome?" }]);
 * const item = await conversation.call("weather", "forecast", { city: "Rome" });
 * // A view of the call can be opened at any time:
 * const close = conversation.shown(item, {
 *   partial: (input) => view({ partial: input }),
 *   input: (input) => view({ input }),
 *   progress: (progress) => view({ progress }),
 *   result: (result) => view({ result }),
 *   cancelled: (reason) => view({ cancelled: reason }),
 * });
 * ```
 */
export class Conversation {
  readonly user: string;
  readonly #options: ConversationOptions;
  readonly #parts: ConversationParts;
  readonly #requests: EntryRequests;

  constructor(options: ConversationOptions) {
    this.user = options.user;
    this.#options = options;
    this.#parts = new ConversationParts(options);
    this.#requests = new EntryRequests(options, this.#parts);
  }

  get id(): string {
    return this.#parts.journal.id;
  }

  get title(): string {
    return this.#parts.journal.title;
  }

  get isRunning(): boolean {
    return this.#parts.journal.isRunning;
  }

  /** Whether it has no listeners, and can be dropped from memory without losing anything. */
  get isIdle(): boolean {
    const { journal, saver, titles } = this.#parts;
    return !journal.hasListeners && !this.isRunning && !titles.isWriting && saver.isClean;
  }

  /** Number of listeners that are connected now. */
  get listenerCount(): number {
    return this.#parts.journal.listenerCount;
  }

  /** The open apps. An app that is open twice counts where it was opened last. */
  get openApps(): readonly OpenAppState[] {
    return this.#parts.apps.open;
  }

  /**
   * Adds a listener for opened and closed apps, and for changes of their tools. Returns a function that
   * removes it.
   */
  onApps(listener: () => void): () => void {
    return this.#parts.appListeners.add(listener);
  }

  /**
   * Lets external agents answer from now on, instead of a model. Call it again when the connected agents
   * change.
   */
  answerElsewhere(agents: readonly string[] = []): void {
    this.#parts.journal.setAgents(agents);
  }

  /** Records that an external agent has read all messages and contexts so far. */
  readElsewhere(): void {
    for (const item of this.#parts.journal.items)
      if (item.kind === "user" && item.isQueued) this.#parts.journal.update(item, { isQueued: undefined });
    this.#parts.apps.receivedElsewhere();
  }

  /** The complete state. The next notice that a listener receives has the next number. */
  state(): ConversationState {
    return this.#parts.journal.state();
  }

  /** Adds a listener for changes. Returns a function that removes it. */
  subscribe(listener: ConversationListener, isThere?: () => boolean): () => void {
    const stop = this.#parts.journal.subscribe(listener, isThere);
    return () => {
      stop();
      this.#options.onidle();
    };
  }

  /**
   * Adds a message of the user, or of an app on the user's behalf. The model answers it, after the current
   * turn if there is one. Resolves to the entry when it is stored.
   * @param key the caller's own id of the message: the same message with the same key is added once
   * @param model the `id` of the model that answers; by default that of the conversation
   * @throws {GatewayError} `overloaded` if too many messages are queued; `conflict`
   * @throws {ModelError} `model-unknown`
   * @throws {ConversationError} `conversation-too-large`
   */
  send(content: readonly ContentBlock[], from?: SpeakingApp, key?: string, model?: string): Promise<string> {
    return this.#requests.send(content, from, key, model);
  }

  /**
   * Retries a message whose answer failed, was stopped, or is empty. That answer is removed, unless it made
   * calls: those are not repeated, and the model reads their results. Resolves when the change is stored.
   *
   * @param model the `id` of the model that answers this time; by default that of the conversation
   * @throws {GatewayError} `item-unknown`, `overloaded`
   * @throws {ModelError} `model-unknown`
   */
  retry(id: string, model?: string): Promise<void> {
    return this.#requests.retry(id, model);
  }

  /**
   * Replaces the user's choices for the answers, from the next request to a model on.
   *
   * @throws {VitrineError} `INVALID_PARAMS`
   * @throws {ModelError} `model-unknown`
   */
  async configure(settings: AnswerSettings): Promise<void> {
    this.#requests.configure(settings);
    await this.#parts.stored();
  }

  /**
   * Sends an edited message in a new version of the conversation, which does not show the original and all that
   * followed; they stay in the version before. Resolves to the new entry when it is stored.
   *
   * @throws {GatewayError} `overloaded` while something is running
   * @throws {ConversationError} `conversation-too-large`
   */
  edit(item: string, content: readonly ContentBlock[], key?: string): Promise<string> {
    return this.#requests.edit(item, content, key);
  }

  /**
   * Answers the message of an answer again, in a new version. Resolves when the change is stored.
   *
   * @throws {GatewayError} `overloaded` while something is running
   */
  regenerate(item: string): Promise<void> {
    return this.#requests.regenerate(item);
  }

  /** Shows another version; without one, the first. @throws {GatewayError} `overloaded`, `item-unknown` */
  showVersion(version: string | undefined): Promise<void> {
    return this.#requests.showVersion(version);
  }

  /** The shown entries up to one, with new ids, for another conversation. @throws {GatewayError} `item-unknown` */
  copyUntil(item: string): ConversationItem[] {
    return copiedItems(this.#parts.journal.items, item);
  }

  /**
   * Calls a tool for the user or for an agent. Resolves to the entry when it is stored; the call continues.
   * Invalid arguments of an agent reach no server and open no app.
   *
   * @throws {GatewayError} `conflict`
   * @throws {ConversationError} `conversation-too-large`
   */
  call(
    server: string,
    tool: string,
    input: Record<string, unknown> = {},
    options: NewCallOptions = {},
  ): Promise<string> {
    return this.#requests.call(server, tool, input, options);
  }

  /**
   * Calls a tool of an open app for an external agent. Resolves to the entry when it is stored.
   *
   * @throws {GatewayError} `view-unknown`
   */
  callApp(view: string, name: string, input: Record<string, unknown> = {}, agent?: string): Promise<string> {
    return this.#requests.callApp(view, name, input, agent);
  }

  /**
   * Calls a tool as the model would: by the name that the model has for it, with validated arguments.
   * Resolves to the entry when it is stored; the call continues.
   */
  callAsModel(name: string, input: Record<string, unknown> = {}): Promise<string> {
    return this.#requests.callAsModel(name, input);
  }

  /** The request that a model would get if a message were sent now. */
  modelView(): Promise<ModelView> {
    return this.#parts.turns.view();
  }

  /**
   * Stops the current turn and all queued ones, or a single entry. Returns whether there was anything to
   * stop.
   */
  stop(item?: string): boolean {
    return this.#stop(STOPPED, item);
  }

  /** Records that an app was opened in a page; `isThere` says whether that page is connected. */
  appOpened(view: string, app: SpeakingApp, isThere?: () => boolean): void {
    this.#parts.apps.opened(view, app, isThere);
  }

  /** Sets the model context of an open app. @throws {GatewayError} `overloaded` if it is updated too often */
  setContext(view: string, app: SpeakingApp, context: SaidContext): void {
    this.#requests.checkOpen();
    this.#checkItem(app.item);
    this.#parts.apps.setContext(view, app, context);
  }

  /** Sets the tools that an open app offers to the model. */
  setAppTools(view: string, app: SpeakingApp, tools: readonly Tool[]): void {
    this.#checkItem(app.item);
    this.#parts.apps.setTools(view, app, tools);
  }

  /**
   * Records that an app was closed: its tools are removed, its context becomes stale, and its calls are
   * cancelled.
   */
  appGone(view: string): void {
    this.#parts.apps.gone(view);
    this.#parts.calls.appGone(view);
  }

  /**
   * Adds a listener to a call in any state, also repeatedly and after a reload. Returns a function that
   * removes it.
   */
  shown(item: string, listener: CallEventListener): () => void {
    const call = this.#parts.journal.call(item);
    if (!call) throw unknownItem(item);
    return this.#parts.calls.shown(call, listener);
  }

  find(item: string): ConversationItem | undefined {
    return this.#parts.journal.find(item);
  }

  /** Stores data of the page with a call. */
  async keep(item: string, page: Record<string, unknown>): Promise<void> {
    const call = this.#parts.journal.call(item);
    if (!call) throw unknownItem(item);
    this.#parts.journal.keep(call, page);
    await this.#parts.stored();
  }

  /** Removes an entry, and stops what it started. */
  async remove(item: string): Promise<void> {
    this.#checkItem(item);
    this.#stop("the entry was removed", item);
    this.#parts.calls.removed(item);
    this.#parts.apps.removed(item);
    this.#parts.turns.removed(item);
    this.#parts.journal.remove(item);
    await this.#parts.stored();
  }

  async rename(title: string): Promise<void> {
    const line = title.replace(/\s+/g, " ").trim().slice(0, LONGEST_TITLE);
    if (line === "") throw new VitrineError(INVALID_PARAMS, "a title must not be empty");
    this.#parts.titles.renamed();
    this.#parts.journal.setTitle(line);
    await this.#parts.stored();
  }

  /** Adds a note for the user, such as that a server used the model. */
  readonly note = (level: NoteItem["level"], code: string, text: string): string =>
    this.#parts.notes.add(level, code, text).id;

  /** Prepares to stop: calls continue, and the model is not asked again. */
  windDown(): void {
    this.#parts.titles.close();
    this.#parts.turns.windDown(STOPPING);
  }

  /** Stops everything, and resolves when all changes are stored. */
  async close(reason = STOPPING): Promise<void> {
    this.#requests.close();
    this.#parts.titles.close();
    this.#stop(reason);
    this.#parts.journal.close();
    await this.#parts.saver.finish();
    this.forgotten();
  }

  /** Releases its results after it was dropped from memory. */
  forgotten(): void {
    this.#options.live.leave(this.#parts.journal);
  }

  /** Resolves when all changes so far are stored. */
  async flush(): Promise<void> {
    await this.#parts.saver.saved();
  }

  /** Stops it after it was deleted: nothing more is stored. */
  async discard(): Promise<void> {
    this.#requests.close();
    this.#parts.titles.close();
    this.#stop("the conversation was deleted");
    this.#parts.journal.close();
    this.forgotten();
    await this.#parts.saver.end();
  }

  #stop(reason: string, item?: string): boolean {
    const { turns, calls } = this.#parts;
    if (item !== undefined) return turns.stop(reason, item) || calls.cancel(item, reason);
    const hadTurn = turns.stop(reason);
    return calls.cancelAll(reason) || hadTurn;
  }

  #checkItem(item: string): void {
    if (!this.#parts.journal.find(item)) throw unknownItem(item);
  }
}
