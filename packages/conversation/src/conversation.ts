/**
 * A conversation: its entries, its turns, and its apps.
 *
 * @module
 */

import { type ContentBlock, INVALID_PARAMS, Listeners, type Tool, VitrineError } from "@vitrine/protocol";
import type { ServerIdentity } from "@vitrine/servers";
import type { Clock } from "@vitrine/servers/support";
import {
  type CallItem,
  type ConversationItem,
  type ConversationState,
  GatewayError,
  type ModelView,
  type NoteItem,
  type SpeakingApp,
} from "@vitrine/wire";
import { Apps, type OpenAppState, type SaidContext } from "./apps.js";
import type { CallEventListener } from "./call-reporter.js";
import { ConversationCalls } from "./conversation-calls.js";
import { itemIdOf, newItemId } from "./item-id.js";
import { type ConversationListener, Journal, type JournalStart } from "./journal.js";
import type { ConversationLimits } from "./limits.js";
import type { LiveResults } from "./live-results.js";
import { endUnderWay } from "./lost-calls.js";
import { appFlood, RESULTS_DROPPED } from "./notes.js";
import type { ConversationPorts, RecalledCall } from "./ports.js";
import { Room } from "./room.js";
import { isSameCall, isSameMessage } from "./same-request.js";
import { Saver } from "./saver.js";
import { isOwnTitle, titleOf } from "./title.js";
import { TurnQueue } from "./turn-queue.js";

/** Options of {@link Conversation}. */
export interface ConversationOptions extends ConversationPorts {
  readonly user: string;
  readonly start: JournalStart;
  /** Whether it is in the store. */
  readonly isStored: boolean;
  /** The outcomes of calls that were running when the gateway ended, by entry. */
  readonly recalled?: ReadonlyMap<string, RecalledCall> | undefined;
  readonly limits: ConversationLimits;
  /** Shared by all conversations. */
  readonly live: LiveResults;
  readonly clock: Clock;
  readonly onerror: (error: unknown) => void;
  /** Called when it appears in the list, or its title changes. */
  onlisted(): void;
  /** Called when it no longer runs, or has no listeners left. */
  onidle(): void;
}

const LONGEST_TITLE = 200;
const STOPPED = "stopped by the user";

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
  readonly #journal: Journal;
  readonly #saver: Saver;
  readonly #room: Room;
  readonly #calls: ConversationCalls;
  readonly #apps: Apps;
  readonly #turns: TurnQueue;
  readonly #appListeners: Listeners;
  #isClosed = false;
  #isAnsweredElsewhere = false;
  #areDroppedReported = false;

  constructor(options: ConversationOptions) {
    const { user, start, store, isStored, clock, limits, onerror, onlisted, onidle } = options;
    this.#appListeners = new Listeners(onerror);
    const { tools, apps, models, live } = options;
    this.user = user;
    this.#options = options;
    this.#saver = new Saver({
      user,
      store,
      clock,
      isStored,
      onlisted,
      schemaOf: (item) => this.#calls.schemaOf(item),
      onhealth: (problem) => this.#room.health(problem),
    });
    const lost = endUnderWay(start.items ?? [], clock.now(), options.recalled);
    // Apps that were open when the gateway ended count as closed. The next turn sends their contexts to the
    // model again.
    const contexts = start.contexts?.map(({ before: _, isTold: __, ...each }) => ({
      ...each,
      isStale: true,
    }));
    this.#journal = new Journal(
      { ...start, ...(contexts && { contexts }) },
      { now: () => clock.now(), keeper: this.#saver, onerror },
    );
    this.#saver.start(this.#journal);
    this.#room = new Room({
      journal: this.#journal,
      onerror,
      saved: () => this.#saver.saved(),
      note: (...note) => this.#note(...note),
    });
    for (const { id } of lost) this.#saver.item(id);
    const onflood = ({ title }: SpeakingApp): void =>
      void this.#note("warning", "app-flood", appFlood(title, "updates its model context too often"));
    this.#apps = new Apps({
      journal: this.#journal,
      clock,
      limit: limits.contexts,
      onflood,
      onchange: () => this.#appsChanged(),
    });
    this.#calls = new ConversationCalls({
      user,
      tools,
      apps,
      live,
      clock,
      limits,
      onerror,
      journal: this.#journal,
      open: this.#apps,
      save: (item) => {
        this.#saver.item(item);
        return this.#saver.saved();
      },
      onchange: () => this.#changed(),
      ondropped: () => this.#sayDropped(),
    });
    this.#turns = new TurnQueue({
      user,
      models,
      tools,
      limits,
      clock,
      onerror,
      journal: this.#journal,
      calls: this.#calls,
      apps: this.#apps,
      note: (...note) => this.#note(...note),
      hasRoom: (isWritten) => this.#room.hasMore(isWritten),
      onchange: () => this.#changed(),
      ondone: () => void this.#saver.saved().then(() => onidle()),
    });
  }

  get id(): string {
    return this.#journal.id;
  }

  get title(): string {
    return this.#journal.title;
  }

  get isRunning(): boolean {
    return this.#journal.isRunning;
  }

  /** Whether it has no listeners, and can be dropped from memory without losing anything. */
  get isIdle(): boolean {
    return !this.#journal.hasListeners && !this.isRunning && this.#saver.isClean;
  }

  /** Number of listeners that are connected now. */
  get listenerCount(): number {
    return this.#journal.listenerCount;
  }

  /** The open apps. An app that is open twice counts where it was opened last. */
  get openApps(): readonly OpenAppState[] {
    return this.#apps.open;
  }

  /**
   * Adds a listener for opened and closed apps, and for changes of their tools. Returns a function that
   * removes it.
   */
  onApps(listener: () => void): () => void {
    return this.#appListeners.add(listener);
  }

  /**
   * Lets external agents answer from now on, instead of a model. Call it again when the connected agents
   * change.
   */
  answerElsewhere(agents: readonly string[] = []): void {
    this.#isAnsweredElsewhere = true;
    this.#journal.setAgents(agents);
  }

  /** Records that an external agent has read all messages and contexts so far. */
  readElsewhere(): void {
    for (const item of this.#journal.items)
      if (item.kind === "user" && item.isQueued) this.#journal.update(item, { isQueued: undefined });
    this.#apps.receivedElsewhere();
  }

  /** The complete state. The next notice that a listener receives has the next number. */
  state(): ConversationState {
    return this.#journal.state();
  }

  /** Adds a listener for changes. Returns a function that removes it. */
  subscribe(listener: ConversationListener, isThere?: () => boolean): () => void {
    const stop = this.#journal.subscribe(listener, isThere);
    return () => {
      stop();
      this.#options.onidle();
    };
  }

  /**
   * Adds a message of the user, or of an app on the user's behalf. The model answers it, after the current
   * turn if there is one. Resolves to the entry when it is stored.
   * @param key the caller's own id of the message: the same message with the same key is added once
   * @throws {GatewayError} `overloaded` if too many messages are queued; `conflict`
   * @throws {ConversationError} `conversation-too-large`
   */
  async send(content: readonly ContentBlock[], from?: SpeakingApp, key?: string): Promise<string> {
    const id = this.#idFor(key);
    const said = this.#journal.find(id);
    if (said) return this.#again(said, said.kind === "user" && isSameMessage(said, content));
    this.#checkRoom();
    if (content.length === 0) throw new VitrineError(INVALID_PARAMS, "a message must not be empty");
    this.#turns.check(from);
    const { clock, models } = this.#options;
    this.#journal.add({
      kind: "user",
      id,
      at: clock.now(),
      content: [...content],
      ...(from && { from }),
      ...(this.#isAnsweredElsewhere && { isQueued: true }),
    });
    this.#entitle();
    if (!this.#isAnsweredElsewhere) {
      if (models.current(this.user)) this.#turns.add(id);
      else this.#sayNoModel();
    }
    await this.#kept();
    return id;
  }

  /**
   * Retries a message whose answer failed, was stopped, or is empty. That answer is removed, unless it made
   * calls: those are not repeated, and the model reads their results. Resolves when the change is stored.
   *
   * @throws {GatewayError} `item-unknown`, `overloaded`
   */
  async retry(id: string): Promise<void> {
    const item = this.#journal.find(id);
    if (!item) throw unknownItem(id);
    const { answers } = item.kind === "model" ? item : {};
    if (item.kind !== "model" || (item.state === "done" && !item.problem) || item.state === "streaming")
      throw new VitrineError(
        INVALID_PARAMS,
        "only an answer that failed, was stopped or is empty can be retried",
      );
    if (answers === undefined || !this.#journal.find(answers))
      throw new VitrineError(INVALID_PARAMS, "the message was removed: send it again");
    this.#checkRoom();
    this.#turns.check(undefined);
    if (!this.#options.models.current(this.user)) this.#sayNoModel();
    else {
      if (!this.#journal.items.some((each) => each.kind === "call" && each.turn === id))
        this.#journal.remove(id);
      this.#turns.add(answers);
    }
    await this.#kept();
  }

  /**
   * Calls a tool for the user or for an agent. Resolves to the entry when it is stored; the call continues.
   * Invalid arguments of an agent reach no server and open no app.
   *
   * @param key the caller's own id of the call: the same call with the same key is made once
   * @param meant the identity of the server; by default the one that has the name now
   * @throws {GatewayError} `conflict`
   * @throws {ConversationError} `conversation-too-large`
   */
  async call(
    server: string,
    tool: string,
    input: Record<string, unknown> = {},
    page?: Record<string, unknown>,
    key?: string,
    agent?: string,
    meant?: ServerIdentity,
  ): Promise<string> {
    const id = this.#idFor(key);
    const made = this.#journal.find(id);
    if (made) return this.#again(made, made.kind === "call" && isSameCall(made, { server, tool, input }));
    this.#checkRoom();
    const identity = meant ?? this.#options.tools.identityOf(server) ?? "";
    const item: CallItem = {
      kind: "call",
      id,
      at: this.#options.clock.now(),
      by: "person",
      ...(agent !== undefined && { agent }),
      server,
      identity,
      tool,
      state: "running",
      input,
      hasApp: false,
      ...(page && { page }),
    };
    void this.#calls.byHand(item, key !== undefined);
    this.#entitle();
    await this.#kept();
    return item.id;
  }

  /**
   * Calls a tool of an open app for an external agent. Resolves to the entry when it is stored.
   *
   * @throws {GatewayError} `view-unknown`
   */
  async callApp(
    view: string,
    name: string,
    input: Record<string, unknown> = {},
    agent?: string,
  ): Promise<string> {
    this.#checkRoom();
    const open = this.#apps.open.find((each) => each.view === view);
    const tool = open?.tools.find((each) => each.name === name);
    if (!open || !tool)
      throw new GatewayError("view-unknown", "the app is closed, or no longer offers this tool");
    const item: CallItem = {
      kind: "call",
      id: newItemId(),
      at: this.#options.clock.now(),
      by: "model",
      ...(agent !== undefined && { agent }),
      server: open.app.server,
      identity: "",
      tool: name,
      app: open.app,
      state: "running",
      input,
      hasApp: false,
    };
    void this.#calls.ofApp(item, view, tool);
    await this.#kept();
    return item.id;
  }

  /**
   * Calls a tool as the model would: by the name that the model has for it, with validated arguments.
   * Resolves to the entry when it is stored; the call continues.
   */
  async callAsModel(name: string, input: Record<string, unknown> = {}): Promise<string> {
    const named = (await this.#turns.names()).find(name);
    this.#checkRoom();
    // It belongs to an answer without text, so the model sees it as its own call.
    const item = this.#calls.start(newItemId(), name, named);
    this.#calls.write(item, JSON.stringify(input));
    void this.#calls.written(item, named);
    this.#entitle();
    await this.#kept();
    return item.id;
  }

  /** The request that a model would get if a message were sent now. */
  modelView(): Promise<ModelView> {
    return this.#turns.view();
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
    this.#apps.opened(view, app, isThere);
  }

  /** Sets the model context of an open app. @throws {GatewayError} `overloaded` if it is updated too often */
  setContext(view: string, app: SpeakingApp, context: SaidContext): void {
    this.#checkOpen();
    this.#checkItem(app.item);
    this.#apps.setContext(view, app, context);
  }

  /** Sets the tools that an open app offers to the model. */
  setAppTools(view: string, app: SpeakingApp, tools: readonly Tool[]): void {
    this.#checkItem(app.item);
    this.#apps.setTools(view, app, tools);
  }

  /**
   * Records that an app was closed: its tools are removed, its context becomes stale, and its calls are
   * cancelled.
   */
  appGone(view: string): void {
    this.#apps.gone(view);
    this.#calls.appGone(view);
  }

  /**
   * Adds a listener to a call in any state, also repeatedly and after a reload. Returns a function that
   * removes it.
   */
  shown(item: string, listener: CallEventListener): () => void {
    const call = this.#journal.call(item);
    if (!call) throw unknownItem(item);
    return this.#calls.shown(call, listener);
  }

  find(item: string): ConversationItem | undefined {
    return this.#journal.find(item);
  }

  /** Stores data of the page with a call. */
  async keep(item: string, page: Record<string, unknown>): Promise<void> {
    const call = this.#journal.call(item);
    if (!call) throw unknownItem(item);
    this.#journal.keep(call, page);
    await this.#kept();
  }

  /** Removes an entry, and stops what it started. */
  async remove(item: string): Promise<void> {
    this.#checkItem(item);
    this.#stop("the entry was removed", item);
    this.#calls.removed(item);
    this.#apps.removed(item);
    this.#turns.removed(item);
    this.#journal.remove(item);
    await this.#kept();
  }

  async rename(title: string): Promise<void> {
    const line = title.replace(/\s+/g, " ").trim().slice(0, LONGEST_TITLE);
    if (line === "") throw new VitrineError(INVALID_PARAMS, "a title must not be empty");
    this.#journal.setTitle(line);
    await this.#kept();
  }

  /** Adds a note for the user, such as that a server used the model. */
  readonly note = (level: NoteItem["level"], code: string, text: string): string =>
    this.#note(level, code, text).id;

  /** Prepares to stop: calls continue, and the model is not asked again. */
  windDown(): void {
    this.#turns.windDown(STOPPING);
  }

  /** Stops everything, and resolves when all changes are stored. */
  async close(reason = STOPPING): Promise<void> {
    this.#isClosed = true;
    this.#stop(reason);
    this.#journal.close();
    await this.#saver.finish();
    this.forgotten();
  }

  /** Releases its results after it was dropped from memory. */
  forgotten(): void {
    this.#options.live.leave(this.#journal);
  }

  /** Resolves when all changes so far are stored. */
  async flush(): Promise<void> {
    await this.#saver.saved();
  }

  /** Stops it after it was deleted: nothing more is stored. */
  async discard(): Promise<void> {
    this.#isClosed = true;
    this.#stop("the conversation was deleted");
    this.#journal.close();
    this.forgotten();
    await this.#saver.end();
  }

  /** Resolves when listeners are notified of all changes, and the store contains them. */
  async #kept(): Promise<void> {
    this.#journal.notify();
    await this.#saver.saved();
  }

  #stop(reason: string, item?: string): boolean {
    if (item !== undefined) return this.#turns.stop(reason, item) || this.#calls.cancel(item, reason);
    const hadTurn = this.#turns.stop(reason);
    return this.#calls.cancelAll(reason) || hadTurn;
  }

  #appsChanged(): void {
    this.#appListeners.notify();
  }

  #changed(): void {
    this.#journal.setRunning(this.#turns.isRunning || this.#calls.isRunning);
  }

  #entitle(): void {
    const { items, title } = this.#journal;
    if (isOwnTitle(title, items)) this.#journal.setTitle(titleOf(items));
  }

  /**
   * Derives the id from the key, so that a repeated request has no second effect: a page repeats requests
   * after its session was lost.
   */
  #idFor(key: string | undefined): string {
    return key === undefined ? newItemId() : itemIdOf(this.user, key);
  }

  /** Acknowledges a repeated request like the first one, when the entry is in the store. */
  async #again({ id }: ConversationItem, isSame: boolean): Promise<string> {
    if (!isSame) {
      const message = "this key was used for another request in the conversation: use a new key";
      throw new GatewayError("conflict", message);
    }
    await this.#kept();
    return id;
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new GatewayError("stopping", "the conversation is closed: open it again");
  }

  #checkRoom(): void {
    this.#checkOpen();
    this.#room.check();
  }

  /** Adds the note once; each entry also shows it. */
  #sayDropped(): void {
    if (!this.#areDroppedReported) this.#note("info", "results-dropped", RESULTS_DROPPED);
    this.#areDroppedReported = true;
  }

  #checkItem(item: string): void {
    if (!this.#journal.find(item)) throw unknownItem(item);
  }

  /** Adds the note once; it is the same for all messages. */
  #sayNoModel(): void {
    const isSaid = this.#journal.items.some((item) => item.kind === "note" && item.code === "no-model");
    if (!isSaid) this.#note("info", "no-model", this.#options.models.help);
  }

  #note(level: NoteItem["level"], code: string, text: string): NoteItem {
    const note: NoteItem = {
      kind: "note",
      id: newItemId(),
      at: this.#options.clock.now(),
      level,
      code,
      text,
    };
    this.#journal.add(note);
    return note;
  }
}

const STOPPING = "the gateway is stopping";

const unknownItem = (item: string): GatewayError =>
  new GatewayError(
    "item-unknown",
    `there is no entry ${JSON.stringify(item.slice(0, 50))}: open the conversation again`,
  );
