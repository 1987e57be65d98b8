/**
 * The conversations of a page, and their apps.
 *
 * @module
 */

import type { Conversation, Conversations } from "@vitrine/conversation";
import { type CallToolResult, INVALID_PARAMS, METHOD_NOT_FOUND, VitrineError } from "@vitrine/protocol";
import { replacedServer } from "@vitrine/servers";
import type {
  ConversationCall,
  ConversationChange,
  ConversationNotices,
  ConversationRequests,
  OpenedView,
  SpeakingApp,
} from "@vitrine/wire";
import type { KnownServers, ServerKey } from "../store/known-servers.js";
import { fitting } from "./fitting-state.js";
import { isLargerThan, MAX_MESSAGE } from "./message-size.js";
import { notificationMessage } from "./rpc.js";
import { SmallMap } from "./small-map.js";
import { unknownView } from "./view-channel.js";

/** Options of {@link PageConversations}. */
export interface PageConversationsOptions {
  readonly user: string;
  readonly conversations: Conversations;
  /** The history of servers' names. */
  readonly known: Pick<KnownServers, "isHeir" | "settled">;
  readonly testMode: boolean;
  /** A view of this page. */
  view(id: string): OpenedView | undefined;
  changed(notice: ConversationNotices["conversation/changed"]): void;
  /** Maximum characters of a message to the page; {@link MAX_MESSAGE} by default. */
  readonly messageLimit?: number | undefined;
  isCongested(): boolean;
  /** Whether the page is connected: the session of a closed page exists for some more minutes. */
  isConnected(): boolean;
}

/** A view that shows a call of a conversation. */
export interface ShownView {
  readonly opened: OpenedView;
  /** Sends a notification to the view. For a slow page, only the latest of each kind is sent. */
  notify(kind: string, text: string): void;
}

/** A conversation whose changes the page gets. */
interface HeardConversation {
  /** The number of the last change that the page missed. */
  missed: number | undefined;
  /** Results that wait for the next changes: if those do not have them, their views get them. */
  readonly results: { readonly item: string; send(): void }[];
  readonly stop: () => void;
}

const isResultOf = (change: ConversationChange, item: string): boolean =>
  change.kind === "item" &&
  change.item.id === item &&
  change.item.kind === "call" &&
  change.item.result !== undefined;

/** Characters of a message beside its content. */
const ENVELOPE = 1000;

type Handlers = {
  readonly [M in keyof ConversationRequests]: (
    page: PageConversations,
    params: ConversationRequests[M]["params"],
    request: { readonly key: string | undefined },
  ) => Promise<ConversationRequests[M]["result"]>;
};

/** Handles the conversations of a page. */
export class PageConversations {
  readonly #options: PageConversationsOptions;
  readonly #heard = new SmallMap<string, HeardConversation>();
  /** Functions that detach views from their calls. */
  readonly #shown = new SmallMap<string, () => void>();
  /** Views whose results the page takes from the changes of their conversations. */
  #followed: Set<string> | undefined;
  #isOver = false;

  constructor(options: PageConversationsOptions) {
    this.#options = options;
  }

  /** All pages share the handlers: a copy for each would be most of the memory of an idle page. */
  static readonly #handlers: Handlers = {
    "conversation/list": async (page, query) => ({
      conversations: await page.#options.conversations.list(page.#options.user, query),
    }),
    "conversation/open": async (page, { id }) => {
      const conversation = await page.#open(id);
      page.#checkThere();
      page.#hear(conversation);
      return fitting(conversation.state(), page.#contentLimit);
    },
    "conversation/leave": async (page, { id }) => {
      page.#leave(id);
      return {};
    },
    "conversation/send": async (page, { id, content, view, model }, { key }) => {
      const conversation = await page.#open(id);
      const from = view === undefined ? undefined : page.#app(id, view);
      return { item: await conversation.send(content, from, key, model) };
    },
    "conversation/call": async (
      page,
      { id, server, tool, arguments: input, page: shown, identity },
      { key },
    ) => {
      const conversation = await page.#open(id);
      return { item: await conversation.call(server, tool, input, { page: shown, key, identity }) };
    },
    "conversation/retry": async (page, { id, item, model }) => {
      await (await page.#open(id)).retry(item, model);
      return {};
    },
    "conversation/settings": async (page, { id, settings }) => {
      await (await page.#open(id)).configure(settings);
      return {};
    },
    "conversation/edit": async (page, { id, item, content }, { key }) => ({
      item: await (await page.#open(id)).edit(item, content, key),
    }),
    "conversation/regenerate": async (page, { id, item }) => {
      await (await page.#open(id)).regenerate(item);
      return {};
    },
    "conversation/show-version": async (page, { id, version }) => {
      await (await page.#open(id)).showVersion(version);
      return {};
    },
    "conversation/branch": async (page, { id, item }) => ({
      id: await page.#options.conversations.branch(page.#options.user, id, item),
    }),
    "conversation/stop": async (page, { id, item }) => ({ stopped: (await page.#open(id)).stop(item) }),
    "conversation/context": async (page, { id, view, content, structuredContent }) => {
      const conversation = await page.#open(id);
      conversation.setContext(view, page.#app(id, view), { content, structuredContent });
      return {};
    },
    "conversation/app-tools": async (page, { id, view, tools }) => {
      const conversation = await page.#open(id);
      conversation.setAppTools(view, page.#app(id, view), tools);
      return {};
    },
    "conversation/keep": async (page, { id, item, page: shown }) => {
      await (await page.#open(id)).keep(item, shown);
      return {};
    },
    "conversation/remove": async (page, { id, item }) => {
      await (await page.#open(id)).remove(item);
      return {};
    },
    "conversation/rename": async (page, { id, title }) => {
      await page.#options.conversations.rename(page.#options.user, id, title);
      return {};
    },
    "conversation/delete": async (page, { id }) => {
      await page.#options.conversations.delete(page.#options.user, id);
      page.#leave(id);
      return {};
    },
    "conversation/model-view": async (page, { id }) => {
      page.#checkTestMode();
      return (await page.#open(id)).modelView();
    },
    "conversation/model-call": async (page, { id, name, arguments: input }) => {
      page.#checkTestMode();
      return { item: await (await page.#open(id)).callAsModel(name, input) };
    },
  };

  /** Whether it is a request about conversations. */
  static handles(method: string): method is keyof ConversationRequests {
    return Object.hasOwn(PageConversations.#handlers, method);
  }

  /** Answers a request of the page. */
  handle<M extends keyof ConversationRequests>(
    method: M,
    params: ConversationRequests[M]["params"],
    request: { readonly key: string | undefined },
  ): Promise<ConversationRequests[M]["result"]> {
    return PageConversations.#handlers[method](this, params, request);
  }

  /**
   * Checks that a call was answered by exactly this server, not by another one of the same name. Returns the result, if
   * there is one.
   *
   * @throws {GatewayError} `server-replaced`
   */
  async checkServer(
    { conversation, item }: ConversationCall,
    server: ServerKey,
  ): Promise<CallToolResult | undefined> {
    const call = (await this.#open(conversation)).find(item);
    if (call?.kind !== "call") return undefined;
    const { known } = this.#options;
    await known.settled();
    const isOwn = call.identity === undefined ? known.isHeir(server) : call.identity === server.identity;
    if (!isOwn) throw replacedServer(server.name);
    return call.result;
  }

  /**
   * Lets a view show a call, from its current state on.
   *
   * @returns the view for the page; later changes are sent to the view
   */
  async show(view: ShownView, call: ConversationCall): Promise<OpenedView> {
    const { opened } = view;
    const conversation = await this.#open(call.conversation);
    const item = conversation.find(call.item);
    if (item?.kind !== "call" || item.app || item.server !== opened.server || item.tool !== opened.tool?.name)
      throw new VitrineError(INVALID_PARAMS, "this is not a call of the view's tool");
    await this.checkServer(call, { name: opened.server, identity: opened.identity ?? "" });
    this.#checkThere();
    opened.call = call;
    const notify = (kind: string, what: string, params: object): void =>
      view.notify(kind, notificationMessage(what, params));
    let isShown = false;
    const stop = conversation.shown(call.item, {
      partial: (input) => notify("partial", "ui/notifications/tool-input-partial", { arguments: input }),
      input: (input) => {
        opened.input = input;
        if (isShown) notify("input", "ui/notifications/tool-input", { arguments: input });
      },
      progress: (progress) => {
        opened.progress = progress;
        if (isShown) notify("call", "gateway/progress", progress);
      },
      result: (result) => {
        delete opened.progress;
        opened.result = result;
        if (!isShown) return;
        const send = (): void => notify("call", "ui/notifications/tool-result", result);
        const heard = this.#followed?.has(opened.view) ? this.#heard.get(conversation.id) : undefined;
        if (heard) heard.results.push({ item: call.item, send });
        else send();
      },
      cancelled: (reason) => {
        delete opened.progress;
        opened.cancelled = reason;
        if (isShown) notify("call", "ui/notifications/tool-cancelled", { reason });
      },
      dropped: (reason) => {
        // The app has the result. If it is shown again, it learns that the result was dropped.
        delete opened.result;
        opened.cancelled = reason;
      },
    });
    isShown = true;
    this.#shown.get(opened.view)?.();
    this.#shown.set(opened.view, stop);
    const app = speakerOf(opened);
    if (app) conversation.appOpened(opened.view, app, this.#options.isConnected);
    return { ...opened };
  }

  /** The app of a view, as the user knows it. */
  speaker(view: string): SpeakingApp | undefined {
    const opened = this.#options.view(view);
    return opened && speakerOf(opened);
  }

  /** Cancels the call that a view shows; undefined if it shows no call of a conversation. */
  async cancel({ call }: OpenedView): Promise<boolean | undefined> {
    return call && (await this.#open(call.conversation)).stop(call.item);
  }

  /** From now on, the page takes the result of this view's call from the changes of its conversation. */
  follow(view: string): void {
    if (this.#shown.has(view)) (this.#followed ??= new Set()).add(view);
  }

  /** A reloaded page has replaced this one: it has not asked for its views yet. */
  renewed(): void {
    this.#followed = undefined;
  }

  /** Detaches a closed view. */
  closed({ view, call }: OpenedView): void {
    this.#followed?.delete(view);
    this.#shown.get(view)?.();
    this.#shown.delete(view);
    if (!call) return;
    this.#open(call.conversation).then(
      (conversation) => conversation.appGone(view),
      // The conversation may be gone as well.
      () => {},
    );
  }

  /**
   * Notifies the page, which reads again, that it missed changes: it then requests the whole conversation.
   */
  resume(): void {
    for (const [id, heard] of this.#heard) {
      if (heard.missed === undefined) continue;
      this.#options.changed({ id, seq: heard.missed, changes: [] });
      heard.missed = undefined;
    }
  }

  /** Detaches everything when the page has ended. */
  end(): void {
    this.#isOver = true;
    for (const id of [...this.#heard.keys()]) this.#leave(id);
    for (const stop of this.#shown.values()) stop();
    this.#shown.clear();
  }

  get #contentLimit(): number {
    return (this.#options.messageLimit ?? MAX_MESSAGE) - ENVELOPE;
  }

  async #open(id: string | undefined): Promise<Conversation> {
    return this.#options.conversations.open(this.#options.user, id);
  }

  /** Rejects results that arrive after the page has ended. */
  #checkThere(): void {
    if (this.#isOver) throw new VitrineError("closed", "the page has closed");
  }

  #hear(conversation: Conversation): void {
    const { changed, isCongested, isConnected } = this.#options;
    // A deleted conversation and a new one of the same id are different.
    this.#leave(conversation.id);
    const heard: HeardConversation = {
      missed: undefined,
      results: [],
      stop: conversation.subscribe((id, seq, changes) => {
        // Too large for one message: the page opens the conversation again, and gets what fits.
        const sent = isLargerThan(this.#contentLimit, changes) ? [] : changes;
        const isMissed = isCongested();
        if (isMissed) heard.missed = seq;
        else changed({ id, seq, changes: sent });
        for (const { item, send } of heard.results.splice(0))
          if (isMissed || !sent.some((change) => isResultOf(change, item))) send();
      }, isConnected),
    };
    this.#heard.set(conversation.id, heard);
  }

  #leave(id: string): void {
    const heard = this.#heard.get(id);
    this.#heard.delete(id);
    heard?.stop();
    for (const { send } of heard?.results ?? []) send();
  }

  #checkTestMode(): void {
    if (this.#options.testMode) return;
    const message = "this request is allowed only in test mode: start the gateway with --test-mode";
    throw new VitrineError(METHOD_NOT_FOUND, message);
  }

  /** The app of a view in this page and conversation: no page can act for another. */
  #app(conversation: string, view: string): SpeakingApp {
    const opened = this.#options.view(view);
    if (!opened) throw unknownView(view);
    const app = this.speaker(view);
    if (!app || opened.call?.conversation !== conversation)
      throw new VitrineError(INVALID_PARAMS, "this view does not show a call of that conversation");
    return app;
  }
}

/** The app of a view that shows a call. */
function speakerOf({ server, tool, uri, call }: OpenedView): SpeakingApp | undefined {
  if (!call) return undefined;
  return { item: call.item, server, title: tool?.title ?? tool?.annotations?.title ?? tool?.name ?? uri };
}
