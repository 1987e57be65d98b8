/**
 * The conversation that this page shows. The gateway runs and stores it; other pages may show it too.
 *
 * @module
 */

import { type CallToolResult, type ContentBlock, VitrineError } from "@vitrine/protocol";
import type {
  AlternativeVersions,
  AnswerSettings,
  AppContext,
  ConversationState,
  ModelItem,
  ModelUsage,
  NoteItem,
  CallItem as ToldCall,
  UserItem,
} from "@vitrine/wire";
import type { AppModel } from "../app/app-model.js";
import { CallApps, type CallAppsOptions } from "../app/call-apps.js";
import { PageCall } from "../app/call-item.js";
import { SentCalls } from "../app/sent-calls.js";
import { messageOf, textOf } from "../messages/messages.js";
import { Observable } from "../observable.js";
import { ConversationFollower } from "./conversation-follower.js";
import type { ConversationMirror, Item } from "./conversation-mirror.js";
import { RememberedConversation } from "./kept-conversation.js";
import { OwnEntries, ownCall } from "./own-entries.js";
import { PendingDeletion } from "./pending-deletion.js";
import { ReportedRequests } from "./reported-requests.js";

export type { Item, PageCall };

/** A message that the user is editing. */
export interface Editing {
  readonly message: UserItem;
  /** The failed answer that sending it removes; otherwise the original stays as another version. */
  readonly answer?: ModelItem | undefined;
  readonly text: string;
}

/** Options of {@link PageConversation}. */
export interface PageConversationOptions
  extends Pick<CallAppsOptions, "gateway" | "look" | "profile" | "start" | "warm" | "hasModel"> {
  /** Where the tab stores which conversation it shows. */
  readonly storage?: Storage | undefined;
}

const GONE: Pick<NoteItem, "level" | "code" | "text"> = {
  level: "warning",
  code: "conversation-gone",
  text: "The conversation that was shown here is gone: it was deleted, or another gateway answers now. This is a new one.",
};
const NONE: ModelUsage = { input: 0, output: 0 };
const NO_SETTINGS: AnswerSettings = {};

/** The conversation of this page. */
export class PageConversation extends Observable {
  readonly #options: PageConversationOptions;
  readonly #follower: ConversationFollower;
  readonly #apps: CallApps;
  readonly #sent = new SentCalls();
  /** Called when an app was replaced. */
  onrenewed: ((before: AppModel, after: AppModel) => void) | undefined;
  readonly #requests: ReportedRequests;
  readonly #own = new OwnEntries();
  /** Whether its apps are being closed, because another conversation will be shown. */
  #isLeaving = false;
  /** Whether a model is working and may call a tool next. */
  #isExpecting = false;
  #editing: Editing | undefined;
  readonly #deletion = new PendingDeletion({
    remove: (item) => this.remove(item),
    onchange: () => this.changed(),
  });

  constructor(options: PageConversationOptions) {
    super();
    this.#options = options;
    const { gateway } = options;
    this.#requests = new ReportedRequests({ gateway, onchange: () => this.changed() });
    this.#apps = new CallApps({
      ...options,
      conversation: () => this.id,
      calls: () => this.items.filter((item) => item.kind === "call"),
      isThere: (item) => !this.#isLeaving && this.#mirror?.shows(item) === true,
      remember: (item) => this.#remember(item),
      onrenewed: (before, after) => this.onrenewed?.(before, after),
    });
    this.#follower = new ConversationFollower({
      gateway,
      kept: new RememberedConversation(options.storage),
      came: (told) => this.#came(told),
      changed: (item, isNow) => void this.#apps.open(item, !isNow),
      gone: (item) => {
        void this.#apps.close(item, "its entry was removed");
        this.#apps.pins.removed(item);
      },
      hidden: (item) => void this.#apps.hide(item),
      leave: (mirror) => this.#leave(mirror),
      shown: (isMissed) => {
        this.#apps.settle();
        this.#requests.reset();
        if (isMissed) this.#own.addNote(GONE);
      },
      onchange: () => {
        this.#expect();
        this.changed();
      },
    });
  }

  get #mirror(): ConversationMirror | undefined {
    return this.#follower.mirror;
  }

  /** All entries in order; those of this page only are at the end. */
  get items(): readonly Item[] {
    const told = this.#mirror?.items ?? [];
    const sent = this.#sent.items;
    const own = this.#own.items;
    const all = sent.length + own.length === 0 ? told : [...told, ...sent, ...own];
    const { items } = this.#deletion;
    return items.length === 0 ? all : all.filter(({ id }) => !items.some((each) => each.id === id));
  }

  get apps(): AppModel[] {
    return this.items.flatMap((item) => (item.kind === "call" && item.app ? [item.app] : []));
  }

  /** Model contexts of the apps. */
  get contexts(): readonly AppContext[] {
    return this.#mirror?.contexts ?? [];
  }

  /** Undefined before it is open. */
  get id(): string | undefined {
    return this.#mirror?.id;
  }

  get title(): string {
    return this.#mirror?.title ?? "";
  }

  /** Whether a turn or call is in progress. */
  get isRunning(): boolean {
    return this.#mirror?.isRunning ?? false;
  }

  get usage(): ModelUsage {
    return this.#mirror?.usage ?? NONE;
  }

  /** The user's choices for the answers. */
  get settings(): AnswerSettings {
    return this.#mirror?.settings ?? NO_SETTINGS;
  }

  /** The agents that read it instead of a model; undefined if a model answers. */
  get agents(): readonly string[] | undefined {
    return this.#mirror?.agents;
  }

  /** The message that the user is editing, with the answer that sending it replaces. */
  get editing(): Editing | undefined {
    return this.#editing;
  }

  /** Why it cannot be shown or changed. */
  get problem(): string | undefined {
    return this.#requests.problem ?? this.#follower.problem;
  }

  /**
   * Calls a tool; `hasApp` says whether it has an app. It is shown immediately, before the gateway knows it.
   */
  call(server: string, tool: string, input: Record<string, unknown>, hasApp: boolean): PageCall {
    const profile = this.#options.profile().id;
    const identity = this.#options.gateway.identityOf(server);
    const pin = hasApp ? this.#apps.pins.pinFor({ appOf: undefined, server, identity, tool })?.id : undefined;
    const page = { profile, ...(pin !== undefined && { pin }) };
    const item = ownCall({ server, identity, tool, input, hasApp, state: "running", page });
    item.oncancel = () => this.#takeBack(item);
    void this.#sent.add(item, () => this.#send(item));
    this.changed();
    return item;
  }

  /**
   * Sends a message as the user. The model answers, if there is one.
   *
   * @throws {VitrineError} if it could not be sent
   */
  async send(text: string, attachments: readonly ContentBlock[] = []): Promise<void> {
    const id = await this.#follower.ready();
    await this.#requests.send("conversation/send", { id, content: contentOf(text, attachments) });
  }

  /**
   * Replaces the user's choices for the answers.
   *
   * @throws {VitrineError} if they could not be stored
   */
  async configure(settings: AnswerSettings): Promise<void> {
    const id = await this.#follower.ready();
    await this.#requests.send("conversation/settings", { id, settings });
  }

  /** Repeats a failed turn of the model. */
  async retry({ id: item }: ModelItem): Promise<void> {
    const { id } = this;
    if (id !== undefined)
      await this.#requests.attempt("It could not be retried", () =>
        this.#requests.send("conversation/retry", { id, item }),
      );
  }

  /** A message of the user, to be edited; undefined if it has no text. */
  editableMessage(message: UserItem): Editing | undefined {
    const text = textOf({ content: message.content });
    return message.from || text === "" ? undefined : { message, text };
  }

  /** The editable message of a failed answer, if the user wrote it. */
  editable(answer: ModelItem): Editing | undefined {
    const message = this.items.find(({ id }) => id === answer.answers);
    if (message?.kind !== "user" || message.from) return undefined;
    const text = textOf({ content: message.content });
    return text === "" ? undefined : { message, answer, text };
  }

  /** Starts or ends editing of a message. */
  edit(editing: Editing | undefined): void {
    this.#editing = editing;
    this.changed();
  }

  /**
   * Sends the edited message in place of the original.
   *
   * @throws {VitrineError} if it could not be sent
   */
  async sendEdited(text: string, attachments: readonly ContentBlock[] = []): Promise<void> {
    const editing = this.#editing;
    this.edit(undefined);
    if (editing?.answer) {
      await this.remove(editing.answer);
      await this.remove(editing.message);
    }
    if (!editing || editing.answer) return this.send(text, attachments);
    const { content, id: item } = editing.message;
    // Attachments of the message stay.
    const rest = content.filter(({ type }) => type !== "text");
    const id = await this.#follower.ready();
    await this.#requests.send("conversation/edit", {
      id,
      item,
      content: contentOf(text, [...rest, ...attachments]),
    });
  }

  /** Where the conversation has several versions, by the first entry after each place. */
  alternativesAt(item: Item): AlternativeVersions | undefined {
    return this.#mirror?.alternatives.get(item.id);
  }

  /** Shows another version of the conversation; without one, the first. */
  async showVersion(version: string | undefined): Promise<void> {
    const { id } = this;
    if (id === undefined) return;
    const show = () => this.#requests.send("conversation/show-version", { id, version });
    await this.#requests.attempt("The version could not be shown", show);
  }

  /** Answers the message of an answer again; the answer stays as another version. */
  async regenerate({ id: item }: ModelItem): Promise<void> {
    const { id } = this;
    if (id !== undefined)
      await this.#requests.attempt("It could not be regenerated", () =>
        this.#requests.send("conversation/regenerate", { id, item }),
      );
  }

  /** Copies the conversation up to an entry into a new one, and shows that. */
  async branch({ id: item }: Item): Promise<void> {
    const { id } = this;
    if (id === undefined) return;
    await this.#requests.attempt("It could not be copied", async () => {
      const copy = await this.#requests.send("conversation/branch", { id, item });
      await this.open(copy.id);
    });
  }

  /** Stops everything in progress. */
  async stop(): Promise<void> {
    const { id } = this;
    if (id !== undefined)
      await this.#requests.attempt("It could not be stopped", () =>
        this.#requests.send("conversation/stop", { id }),
      );
  }

  /** Adds an app without a call, such as one of a recording, to this page only. */
  show(app: AppModel): PageCall {
    const item = this.#own.addApp(app);
    this.changed();
    return item;
  }

  /** Shows entries of a recorded run, to this page only. Returns its calls, which have no apps yet. */
  showRun(items: readonly (UserItem | ModelItem | NoteItem | ToldCall)[]): PageCall[] {
    const calls = this.#own.addRun(items);
    this.changed();
    return calls;
  }

  /** Whether an entry is only in this page: no model can answer it, and it cannot be edited. */
  isOwn(item: Item): boolean {
    return this.#own.has(item);
  }

  /** Closes the app of a call: the call stays, and is cancelled if it is running. */
  async closeApp(item: PageCall): Promise<void> {
    await this.#apps.closeForGood(item);
    this.changed();
  }

  /** Calls whose apps stand beside the conversation. */
  get pinned(): readonly PageCall[] {
    return this.items.filter((item): item is PageCall => item.kind === "call" && item.isPinned && !!item.app);
  }

  /** Pins the app of a call beside the conversation, or puts it back. The gateway keeps that. */
  pin(item: PageCall, isPinned: boolean): void {
    item.update({ isPinned, ...(!isPinned && { isFollowing: false }) });
    this.#remember(item);
    this.changed();
  }

  /** Sets whether new calls of the same tool update a pinned app. The gateway keeps that. */
  follow(item: PageCall, isFollowing: boolean): void {
    item.update({ isFollowing });
    this.#remember(item);
    this.changed();
  }

  /** The pinned app that a call went to, while that is there. */
  pinOf(item: PageCall): PageCall | undefined {
    return this.#apps.pins.pinOf(item);
  }

  /** The call that the app of a call shows; the call itself without an app. */
  shownIn(item: PageCall): PageCall {
    return item.app ? this.#apps.pins.shownIn(item) : item;
  }

  /**
   * The UIs of these tools changed: their apps restart with the same call. A running call keeps its app until
   * it ends.
   */
  async renew(server: string, tools: ReadonlySet<string>): Promise<void> {
    const isMeant = (item: Item): item is PageCall =>
      item.kind === "call" && item.server === server && tools.has(item.tool);
    await this.#apps.renew((this.#mirror?.items ?? []).filter(isMeant));
  }

  /** A server was removed from the settings: its open apps are closed with an explanation. */
  async serverRemoved(server: string): Promise<void> {
    const problem = `The server “${server}” was removed from the settings: its app was closed.`;
    const close = async (item: Item): Promise<void> => {
      if (item.kind !== "call" || item.server !== server || !item.app) return;
      await this.#apps.close(item, problem);
      item.update({ problem });
    };
    await Promise.all((this.#mirror?.items ?? []).map(close));
    this.changed();
  }

  /** Entries that are being deleted: the user can still take that back. */
  get deleting(): readonly Item[] {
    return this.#deletion.items;
  }

  /** Deletes an entry after some seconds, until which {@link undelete} takes it back. */
  delete(item: Item): void {
    this.#deletion.add(item);
  }

  /** Takes back all deletions that have not happened yet. */
  undelete(): void {
    this.#deletion.undo();
  }

  /** Removes an entry, and closes its app. */
  async remove(item: Item): Promise<void> {
    const mirror = this.#mirror;
    if (item.kind === "call") {
      if (mirror?.has(item)) item.cancel();
      // Prevents a pending open.
      item.isAppClosed = true;
      await this.#apps.close(item);
      this.#sent.remove(item);
      this.#apps.pins.removed(item);
    }
    this.#own.remove(item);
    // The gateway may have reported it since, and the page may show another conversation now.
    if (mirror?.has(item)) {
      const remove = () => this.#requests.send("conversation/remove", { id: mirror.id, item: item.id });
      if (await this.#requests.attempt("The entry could not be removed", remove)) mirror.drop(item);
    }
    this.changed();
  }

  async clear(): Promise<void> {
    if (this.isRunning) await this.stop();
    const mirror = this.#mirror;
    const shown = new Set(this.items.map(({ id }) => id));
    const hidden = (mirror?.all ?? []).filter((id) => !shown.has(id));
    await Promise.all(this.items.map((item) => this.remove(item)));
    // Those of other versions.
    for (const item of hidden)
      await this.#requests.attempt("The entry could not be removed", () =>
        this.#requests.send("conversation/remove", { id: mirror?.id ?? "", item }),
      );
  }

  /** Shows another conversation, or a new one. The apps of the current one finish first. */
  async open(id?: string): Promise<void> {
    // A new conversation in place of an empty one would be the same.
    await this.#follower.open(id, () => (id === undefined ? this.items.length > 0 : id !== this.id));
  }

  /** Restores the tab's conversation and its apps after a reload. */
  async restore(): Promise<void> {
    // Requested in parallel with the conversation.
    const found = this.#options.gateway.restoreViews().then((views) => this.#apps.find(views));
    await this.#follower.restore(found.catch(() => {}));
    await found;
  }

  /** The gateway has dropped this page's session: requests the whole conversation again. */
  async reopen(): Promise<void> {
    await this.#follower.reopen();
  }

  /** Reads a whole conversation without showing it. @throws {VitrineError} if it cannot be read */
  read(id: string): Promise<ConversationState> {
    return this.#follower.read(id);
  }

  /** Calls a tool of an app in this page; the user has already approved it. */
  async callAppTool(
    view: string,
    name: string,
    input: Record<string, unknown>,
    signal?: AbortSignal,
  ): Promise<CallToolResult> {
    const app = this.apps.find(({ id }) => id === view);
    if (!app) throw new VitrineError("unsupported", "the app is not open in this page any more");
    return app.toolList.call(name, input, signal);
  }

  /** While a model has not called anything yet, likely apps are preloaded: once per turn. */
  #expect(): void {
    const mirror = this.#mirror;
    const isNow = mirror?.isRunning === true && mirror.items.at(-1)?.kind !== "call";
    if (isNow && !this.#isExpecting) this.#apps.expect();
    this.#isExpecting = isNow;
  }

  async #leave({ items }: ConversationMirror): Promise<void> {
    void this.#deletion.finish();
    this.#isLeaving = true;
    this.#editing = undefined;
    this.#apps.leave();
    const close = (item: Item): Promise<void> | false =>
      item.kind === "call" && this.#apps.close(item, "another conversation is shown");
    await Promise.all([...items, ...this.#own.items].map(close));
    this.#isLeaving = false;
    this.#own.clear();
    this.#sent.leave();
  }

  async #send(item: PageCall): Promise<void> {
    try {
      const id = await this.#follower.ready();
      if (!this.#sent.sent(item, id)) return;
      const { server, identity, tool, input, page } = item;
      const call = { id, server, identity, tool, arguments: input, page: { ...page } };
      const { item: name } = await this.#requests.send("conversation/call", call);
      // The id under which it will be reported, if it was not yet.
      if (this.#sent.has(item)) item.id = name;
    } catch (error) {
      if (this.#sent.has(item)) item.end(messageOf(error));
    }
  }

  async #takeBack(item: PageCall): Promise<void> {
    await this.#sent.answered(item);
    const { id } = this;
    if (id !== undefined && !item.isOver)
      await this.#requests.send("conversation/stop", { id, item: item.id });
  }

  /** Handles a new call, which may have been made here. */
  #came(told: ToldCall): PageCall | undefined {
    const sent = this.#sent.take(told);
    if (sent === "unwanted") {
      const { id = "" } = this;
      const remove = () => this.#requests.send("conversation/remove", { id, item: told.id });
      void this.#requests.attempt("The entry could not be removed", remove);
      return undefined;
    }
    const item = sent ?? new PageCall(told);
    item.oncancel = () => this.#takeBack(item);
    return item;
  }

  #remember(item: PageCall): void {
    const { id } = this;
    if (id === undefined || !this.#mirror?.has(item)) return;
    // A failure only means that something is shown again later.
    this.#requests.send("conversation/keep", { id, item: item.id, page: { ...item.page } }).catch(() => {});
  }
}

/** The content of a message: its text, if there is any, and its files. */
const contentOf = (text: string, files: readonly ContentBlock[]): ContentBlock[] => [
  ...(text === "" ? [] : [{ type: "text" as const, text }]),
  ...files,
];
