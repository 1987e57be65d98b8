/**
 * One conversation: its entries, its turns, and the apps in it.
 *
 * @module
 */

import { type ContentBlock, INVALID_PARAMS, type Tool, VitrineError } from "@vitrine/protocol";
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
import { Calls } from "./calls.js";
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
import type { CallHearer } from "./shown-call.js";
import { isOwnTitle, titleOf } from "./title.js";
import { Turns } from "./turns.js";

/** What a conversation stands on. */
export interface ConversationOptions extends ConversationPorts {
  readonly user: string;
  readonly start: JournalStart;
  /** It is in the store. */
  readonly isStored: boolean;
  /** How calls ended that were under way when the gateway did, by their entries. */
  readonly recalled?: ReadonlyMap<string, RecalledCall> | undefined;
  readonly limits: ConversationLimits;
  /** Everybody's. */
  readonly live: LiveResults;
  readonly clock: Clock;
  readonly onerror: (error: unknown) => void;
  /** It is new in the list, or is called otherwise there. */
  onlisted(): void;
  /** Nothing in it is under way any more, or nobody hears of it. */
  onidle(): void;
}

const LONGEST_TITLE = 200;
const STOPPED = "the person stopped it";

/**
 * A conversation that is in memory. Whatever happens in it is an entry, or a change of one: subscribers hear of them in
 * order, and the store has them soon after; before anything that is acknowledged is.
 *
 * @example
 * ```ts source="./conversation.examples.ts#conversation"
 * const conversation = await conversations.open("ana");
 * send(JSON.stringify(conversation.state()));
 * const leave = conversation.subscribe((id, seq, changes) => send(JSON.stringify({ id, seq, changes })));
 * await conversation.send([{ type: "text", text: "Will it rain in Rome?" }]);
 * const item = await conversation.call("weather", "forecast", { city: "Rome" });
 * // A view of the call, whenever it is opened:
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
  readonly #calls: Calls;
  readonly #apps: Apps;
  readonly #turns: Turns;
  readonly #appListeners = new Set<() => void>();
  #isClosed = false;
  #isAnsweredElsewhere = false;
  #areDroppedTold = false;

  constructor(options: ConversationOptions) {
    const { user, start, store, isStored, clock, limits, onerror, onlisted, onidle } = options;
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
    // Apps that were open when the gateway ended are open no more, as far as it knows.
    // The next turn tells the model of them again.
    const contexts = start.contexts?.map(({ before: _, isTold: __, ...each }) => ({
      ...each,
      isStale: true,
    }));
    this.#journal = new Journal(
      { ...start, ...(contexts && { contexts }) },
      { now: () => clock.now(), keeper: this.#saver, onerror },
    );
    this.#saver.begin(this.#journal);
    this.#room = new Room({
      journal: this.#journal,
      onerror,
      saved: () => this.#saver.saved(),
      note: (...note) => this.#note(...note),
    });
    for (const { id } of lost) this.#saver.item(id);
    const onflood = ({ title }: SpeakingApp): void =>
      void this.#note("warning", "app-flood", appFlood(title, "changes what it tells the model too often"));
    this.#apps = new Apps({
      journal: this.#journal,
      clock,
      limit: limits.contexts,
      onflood,
      onchange: () => this.#appsChanged(),
    });
    this.#calls = new Calls({
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
    this.#turns = new Turns({
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

  /** Nobody hears of it, and nothing is lost when it is forgotten. */
  get isIdle(): boolean {
    return !this.#journal.isHeard && !this.isRunning && this.#saver.isClean;
  }

  /** How many hear of it and are connected now. */
  get heardBy(): number {
    return this.#journal.heardBy;
  }

  /** The apps that are open; of one that is open twice only where it was opened last. */
  get openApps(): readonly OpenAppState[] {
    return this.#apps.open;
  }

  /** Hears that apps were opened or closed, or offer other tools; returns what ends that. */
  onApps(listener: () => void): () => void {
    this.#appListeners.add(listener);
    return () => void this.#appListeners.delete(listener);
  }

  /** Agents answer what is said from now on: no model is asked. Call it again when other agents are connected. */
  answerElsewhere(agents: readonly string[] = []): void {
    this.#isAnsweredElsewhere = true;
    this.#journal.setAgents(agents);
  }

  /** An agent that answers in place of a model has read what the person and the apps said so far. */
  readElsewhere(): void {
    for (const item of this.#journal.items)
      if (item.kind === "user" && item.isQueued) this.#journal.update(item, { isQueued: undefined });
    this.#apps.receivedElsewhere();
  }

  /** All of it: the next notice that a subscriber hears has the next number. */
  state(): ConversationState {
    return this.#journal.state();
  }

  /** Hears what becomes of it; returns what ends that. */
  subscribe(listener: ConversationListener, isThere?: () => boolean): () => void {
    const stop = this.#journal.subscribe(listener, isThere);
    return () => {
      stop();
      this.#options.onidle();
    };
  }

  /**
   * Says something: as the person, or as an app in their place. The model answers; while it still does something else, when
   * that is done. Resolves to the entry when it is kept.
   *
   * @param key the caller's own name for the message: the same message under the same key is said once
   * @throws {GatewayError} `overloaded` when too much waits for its turn; `conflict`
   * @throws {ConversationError} `conversation-too-large`
   */
  async send(content: readonly ContentBlock[], from?: SpeakingApp, key?: string): Promise<string> {
    const id = this.#idFor(key);
    const said = this.#journal.find(id);
    if (said) return this.#again(said, said.kind === "user" && isSameMessage(said, content));
    this.#checkRoom();
    if (content.length === 0) throw new VitrineError(INVALID_PARAMS, "a message must say something");
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
   * Answers a message again whose answer failed, was stopped, or is empty. That answer goes, unless it made calls: they are
   * not made again, and the model reads their results. Resolves when this is kept.
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
   * Calls a tool by hand, or for an agent. Resolves to the entry when it is kept; the call goes on. Arguments of an agent
   * that do not fit the tool's schema reach no server, and open no app.
   *
   * @param key the caller's own name for the call: the same call under the same key is made once
   * @param meant the identity of the server; the one that has the name now by default
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
    void this.#calls.byHand(item);
    this.#entitle();
    await this.#kept();
    return item.id;
  }

  /**
   * Calls a tool of an app that is open, for somebody who is no model of ours. Resolves to the entry when it is kept.
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
      throw new GatewayError("view-unknown", "the app is closed, or offers no such tool any more");
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
   * Calls a tool as the model would: by the name that the model has for it, with arguments that must be as the tool wants
   * them. Resolves to the entry when it is kept; the call goes on.
   */
  async callAsModel(name: string, input: Record<string, unknown> = {}): Promise<string> {
    const named = (await this.#turns.names()).find(name);
    this.#checkRoom();
    // It belongs to an answer in which nothing was said: the model is told that it has called it.
    const item = this.#calls.begin(newItemId(), name, named);
    this.#calls.write(item, JSON.stringify(input));
    void this.#calls.written(item, named);
    this.#entitle();
    await this.#kept();
    return item.id;
  }

  /** What a model would be asked, if somebody said something now. */
  modelView(): Promise<ModelView> {
    return this.#turns.view();
  }

  /** Stops all that is under way, and what waits for its turn; or one entry. Returns whether there was anything. */
  stop(item?: string): boolean {
    return this.#stop(STOPPED, item);
  }

  /** An app was opened in a page; `isThere` says whether that page is connected now. */
  appOpened(view: string, app: SpeakingApp, isThere?: () => boolean): void {
    this.#apps.opened(view, app, isThere);
  }

  /** What an app that is open wants the model to know. @throws {GatewayError} `overloaded` when it is too often */
  setContext(view: string, app: SpeakingApp, context: SaidContext): void {
    this.#checkOpen();
    this.#checkItem(app.item);
    this.#apps.setContext(view, app, context);
  }

  /** The tools that an app which is open offers to the model. */
  setAppTools(view: string, app: SpeakingApp, tools: readonly Tool[]): void {
    this.#checkItem(app.item);
    this.#apps.setTools(view, app, tools);
  }

  /** An app was closed: its tools are gone, what it said is out of date, what it was asked comes to nothing. */
  appGone(view: string): void {
    this.#apps.gone(view);
    this.#calls.appGone(view);
  }

  /** Lets a view hear of its call, from where it is: also after a reload, and twice. Returns what ends that. */
  shown(item: string, hearer: CallHearer): () => void {
    const call = this.#journal.call(item);
    if (!call) throw unknownItem(item);
    return this.#calls.shown(call, hearer);
  }

  find(item: string): ConversationItem | undefined {
    return this.#journal.find(item);
  }

  /** What the page wants to remember with a call. */
  async keep(item: string, page: Record<string, unknown>): Promise<void> {
    const call = this.#journal.call(item);
    if (!call) throw unknownItem(item);
    this.#journal.keep(call, page);
    await this.#kept();
  }

  /** Takes an entry away, and what it did is stopped. */
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
    if (line === "") throw new VitrineError(INVALID_PARAMS, "a title must have a letter");
    this.#journal.setTitle(line);
    await this.#kept();
  }

  /** Adds what the person should know, such as that a server asked the model something. */
  readonly note = (level: NoteItem["level"], code: string, text: string): string =>
    this.#note(level, code, text).id;

  /** The gateway is about to stop: calls go on, and the model is asked nothing more. */
  windDown(): void {
    this.#turns.windDown(STOPPING);
  }

  /** Ends what is under way, and resolves when all is kept. */
  async close(reason = STOPPING): Promise<void> {
    this.#isClosed = true;
    this.#stop(reason);
    this.#journal.close();
    await this.#saver.finish();
    this.forgotten();
  }

  /** It is in memory no more. */
  forgotten(): void {
    this.#options.live.leave(this.#journal);
  }

  /** Resolves when what was asked so far is kept. */
  async flush(): Promise<void> {
    await this.#saver.saved();
  }

  /** It is deleted: nothing more of it is kept. */
  async discard(): Promise<void> {
    this.#isClosed = true;
    this.#stop("the conversation was deleted");
    this.#journal.close();
    this.forgotten();
    await this.#saver.end();
  }

  /** What is acknowledged was told, and is in the store. */
  async #kept(): Promise<void> {
    this.#journal.tell();
    await this.#saver.saved();
  }

  #stop(reason: string, item?: string): boolean {
    if (item !== undefined) return this.#turns.stop(reason, item) || this.#calls.cancel(item, reason);
    const hadTurn = this.#turns.stop(reason);
    return this.#calls.cancelAll(reason) || hadTurn;
  }

  #appsChanged(): void {
    for (const listener of [...this.#appListeners]) listener();
  }

  #changed(): void {
    this.#journal.setRunning(this.#turns.isRunning || this.#calls.isRunning);
  }

  #entitle(): void {
    const { items, title } = this.#journal;
    if (isOwnTitle(title, items)) this.#journal.setTitle(titleOf(items));
  }

  /** What is asked again under the same key is done once: a page asks again when its session was lost. */
  #idFor(key: string | undefined): string {
    return key === undefined ? newItemId() : itemIdOf(this.user, key);
  }

  /** Acknowledges a retry like the first request: when the entry is in the store (attack C20 for another request). */
  async #again({ id }: ConversationItem, isSame: boolean): Promise<string> {
    if (!isSame) {
      const message = "this key was used for something else in the conversation: take a new key";
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

  /** Once: each entry says it of itself. */
  #sayDropped(): void {
    if (!this.#areDroppedTold) this.#note("info", "results-dropped", RESULTS_DROPPED);
    this.#areDroppedTold = true;
  }

  #checkItem(item: string): void {
    if (!this.#journal.find(item)) throw unknownItem(item);
  }

  /** Once: it is the same for all that is said. */
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
