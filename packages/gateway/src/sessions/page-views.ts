/**
 * The views of a page: opened, restored and closed.
 *
 * @module
 */
import { randomBytes } from "node:crypto";
import {
  type CallToolResult,
  INVALID_PARAMS,
  INVALID_REQUEST,
  type Narrowing,
  recordOf,
  type ViewDialect,
  VitrineError,
} from "@vitrine/protocol";
import { replacedServer, type ServerIdentity } from "@vitrine/servers";
import type { ConversationCall, GatewayRequests, OpenedView, ViewPlace } from "@vitrine/wire";
import type { SamplingService } from "../asks/index.js";
import type { GuardedCall } from "../guard/guarded-call.js";
import type { GuardedServer } from "../guard/guarded-servers.js";
import type { ServerKey } from "../store/known-servers.js";
import { headOf, isTooComplex } from "./complexity.js";
import { inOneMessage, MAX_MESSAGE } from "./message-size.js";
import { PageCalls, type PageCallsOptions } from "./page-calls.js";
import type { PageConversations } from "./page-conversations.js";
import type { PageEnd } from "./page-end.js";
import type { PageAnswer, PageRequest } from "./page-params.js";
import { withoutToken } from "./progress-token.js";
import { Restores } from "./restores.js";
import { errorMessage, isId, isUnexpected, keyOf, parse, resultMessage } from "./rpc.js";
import { withoutServer } from "./show-document.js";
import { SmallMap } from "./small-map.js";
import { paramsTextOf, unknownView, ViewChannel } from "./view-channel.js";

/** The connection to a page. */
export interface PageWire {
  send(channel: string, text: string): void;
  closeChannel(channel: string): void;
  /** Whether the send queue is above its high-water mark: optional messages wait until `resume` is called. */
  readonly isFull: boolean;
  /** Whether a page is connected. */
  readonly isConnected: boolean;
}

/** Options of {@link PageViews}. */
export interface PageViewsOptions extends PageCallsOptions {
  readonly wire: PageWire;
  /** Maximum characters of a message to the page; {@link MAX_MESSAGE} by default. */
  readonly messageLimit?: number | undefined;
  /**
   * Whether the page had an earlier session that is gone: its requests may have started then, with the same
   * keys.
   */
  readonly mayBeOld: boolean;
  /** Asks the model for views. */
  readonly sampling: Pick<SamplingService, "fromView">;
  /** @throws {GatewayError} `server-unknown`; with an identity, `server-replaced` */
  server(name: string, identity?: ServerIdentity): GuardedServer;
  /** Prepares a view. Never throws for errors of a server. */
  prepare(view: string, at: GuardedServer, wanted: WantedView, signal: AbortSignal): Promise<OpenedView>;
  /** Prepares a document without a server. */
  document(view: string, document: GatewayRequests["gateway/show"]["params"]): Promise<OpenedView>;
  /** Makes sure that a view can still be shown. */
  restore(opened: OpenedView, signal: AbortSignal): Promise<OpenedView>;
  /** Releases the document of a closed view. */
  closeDocument(place: ViewPlace): void;
  /** Registers a view before any question about it; it ends with {@link forget}. */
  know(view: string, server: ServerKey, wanted: WantedView): void;
  forget(view: string): void;
  /**
   * Records a request of an unknown view, or of a view without a server. For a view that never existed, the
   * server is empty.
   */
  refused(call: GuardedCall, error: VitrineError, identity: ServerIdentity | undefined): Promise<void>;
}

/**
 * Selects a view: by its tool or its resource; and how much its policy is narrowed, and which dialects are translated
 * besides its own.
 */
export interface WantedView {
  readonly tool?: string | undefined;
  readonly uri?: string | undefined;
  readonly narrow?: readonly Narrowing[] | undefined;
  readonly dialects?: readonly ViewDialect[] | undefined;
  /** The result that the view shows, which may contain its document. */
  readonly result?: CallToolResult | undefined;
}

/** Limits: views of a page, and closed views whose servers are remembered. */
const MAX_VIEWS = 1000;
const MAX_CLOSED = 1000;

/** Requests about views and their calls. */
type ViewMethod =
  | "gateway/views"
  | "gateway/close"
  | "gateway/cancel"
  | "gateway/call"
  | "gateway/open"
  | "gateway/show";

type ViewHandlers = {
  readonly [M in ViewMethod]: (
    page: PageViews,
    params: GatewayRequests[M]["params"],
    request: PageRequest,
  ) => PageAnswer<M>;
};

/** The views of a page that is connected, or may reconnect. */
export class PageViews {
  readonly #options: PageViewsOptions;
  readonly #conversations: PageConversations;
  readonly #ended: PageEnd;
  readonly #onclose: (view: string) => void;
  readonly #views = new SmallMap<string, ViewChannel>();
  /** Views without a server. */
  readonly #documents = new SmallMap<string, OpenedView>();
  readonly #calls: PageCalls;
  /** The servers of closed views, for the records of late requests. */
  readonly #closed = new SmallMap<string, Pick<OpenedView, "server" | "identity">>();
  readonly #restores: Restores;

  constructor(
    options: PageViewsOptions,
    conversations: PageConversations,
    ended: PageEnd,
    onclose: (view: string) => void,
  ) {
    this.#options = options;
    this.#conversations = conversations;
    this.#ended = ended;
    this.#onclose = onclose;
    this.#calls = new PageCalls(options, ended);
    this.#restores = new Restores(options);
  }

  /** Number of views. */
  get size(): number {
    return this.#views.size + this.#documents.size;
  }

  get(view: string): ViewChannel | undefined {
    return this.#views.get(view);
  }

  get #messageLimit(): number {
    return this.#options.messageLimit ?? MAX_MESSAGE;
  }

  /** Handles a message of the page on the channel of a view. */
  receive(channel: string, text: string): void {
    const view = this.#views.get(channel);
    if (view) view.receive(text, this.#options.mayBeOld);
    else this.#refuse(channel, text).catch((error: unknown) => this.#options.onerror(error));
  }

  /** Sends delayed notifications, because the page reads again. */
  resume(): void {
    for (const view of this.#views.values()) view.resume();
  }

  /** A reloaded page has replaced this one. */
  renewed(): void {
    for (const view of this.#views.values()) view.renewed();
    this.#conversations.renewed();
  }

  /**
   * Moves views to a server with new settings, or one that is back. If another server has taken the name,
   * they do not move: their data is not for it.
   */
  moved(name: string): void {
    const at = this.#options.server(name);
    for (const view of this.#viewsOf(name)) {
      if (view.opened.identity === at.server.settings.identity) view.move(at);
      else view.orphan();
    }
  }

  /** Detaches the views of a removed server. */
  removed(name: string): void {
    for (const view of this.#viewsOf(name)) view.orphan();
  }

  #viewsOf(server: string): ViewChannel[] {
    return [...this.#views.values()].filter(({ opened }) => opened.server === server);
  }

  /** Closes all views, because the page has ended. */
  end(): void {
    for (const view of [...this.#views.keys(), ...this.#documents.keys()]) this.close(view);
  }

  /**
   * Refuses and records a request of a view that was closed, never existed, or has no server.
   */
  async #refuse(view: string, text: string): Promise<void> {
    const isComplex = isTooComplex(text);
    const { id, method, params }: Record<string, unknown> = isComplex ? { ...headOf(text) } : parse(text);
    if (!isId(id) || typeof method !== "string") return;
    const error = this.#documents.has(view) ? withoutServer() : unknownView(view);
    const { rest } = withoutToken(recordOf(params));
    // Hashed like in the view's channel, so that an earlier key is recognized.
    const asked = { method, params: rest, paramsText: isComplex ? undefined : paramsTextOf(text) };
    const { server = "", identity } = this.#closed.get(view) ?? {};
    const { user, refused, refuse, wire, mayBeOld } = this.#options;
    const call: GuardedCall = { actor: "view", user, view, server, ...asked };
    try {
      const result = await refuse({ ...call, key: keyOf(id), mayBeOld }, error);
      wire.send(view, resultMessage(id, result));
    } catch (reported) {
      if (reported === error) await refused(call, error, identity);
      wire.send(view, errorMessage(id, reported));
    }
  }

  /** Shared by all pages. */
  static readonly #handlers: ViewHandlers = {
    "gateway/views": async (page, { isFollowed }, { afterAnswer }) => {
      const before = [...[...page.#views.values()].map(({ opened }) => opened), ...page.#documents.values()];
      await page.#restores.wait(before);
      // Some may have been closed meanwhile; new ones are reported to the request that opened them.
      const views = before.filter(({ view }) => page.#has(view));
      const shown = views.map((opened) => page.#restores.asShown(opened));
      const notifyLater = (opened: OpenedView): void => page.#views.get(opened.view)?.notifyCall();
      if (isFollowed)
        afterAnswer(() => {
          for (const { view } of views) page.#conversations.follow(view);
        });
      return { views: inOneMessage(shown, page.#messageLimit / 4, notifyLater) };
    },
    "gateway/close": (page, { view }) => {
      page.#checkView(view);
      page.close(view);
      return {};
    },
    "gateway/cancel": async (page, { view }) => {
      page.#checkView(view);
      const opened = page.#views.get(view)?.opened;
      const cancelled = opened && (await page.#conversations.cancel(opened));
      return { cancelled: cancelled ?? page.#calls.cancel(view, "the call was cancelled") };
    },
    "gateway/call": (page, { server, name, arguments: input = {}, identity }, request) =>
      page.#calls.call({ server, tool: name, input, request, identity }),
    "gateway/open": async (page, params, request) => {
      const { server, tool, uri, arguments: input, call, narrow, dialects, identity, isFollowed } = params;
      if ((tool === undefined) === (uri === undefined)) {
        throw new VitrineError(INVALID_PARAMS, 'name either a "tool" or a "uri"');
      }
      if (call && (input || tool === undefined))
        throw new VitrineError(
          INVALID_PARAMS,
          'a "call" is shown by the view of its "tool", and has its arguments',
        );
      const prepare = async () => {
        page.#checkRoom();
        // Before any question about a view that will not be shown.
        const { settings } = page.#options.server(server).server;
        const result = call && (await page.#conversations.checkServer(call, settings));
        const of = { name: server, identity: identity ?? settings.identity };
        return page.#prepare(of, { tool, uri, narrow, dialects, result }, request.signal);
      };
      const { opened, at } = await prepare().catch((error: unknown) => {
        if (tool === undefined || !input) throw error;
        return page.#calls.cannotShow({ server, tool, input, request }, error);
      });
      const view = page.#add(opened, at);
      if (call && isFollowed) request.afterAnswer(() => page.#conversations.follow(opened.view));
      if (call) return page.#showCall(view, call);
      if (tool !== undefined && input)
        page.#calls
          .show(view, at, { server, tool, input, request })
          .catch((error: unknown) => page.#options.onerror(error));
      return opened;
    },
    "gateway/show": async (page, document, { signal }) => {
      page.#checkRoom();
      const opened = await page.#options.document(newView(), document);
      page.#checkWanted(signal);
      page.#documents.set(opened.view, opened);
      return opened;
    },
  };

  static handles(method: string): method is ViewMethod {
    return Object.hasOwn(PageViews.#handlers, method);
  }

  /** Answers a request of the page. */
  handle<M extends ViewMethod>(
    method: M,
    params: GatewayRequests[M]["params"],
    request: PageRequest,
  ): PageAnswer<M> {
    return PageViews.#handlers[method](this, params, request);
  }

  #checkView(view: string): void {
    if (!this.#has(view)) throw unknownView(view);
  }

  #has(view: string): boolean {
    return this.#views.has(view) || this.#documents.has(view);
  }

  #checkRoom(): void {
    if (this.size >= MAX_VIEWS)
      throw new VitrineError(INVALID_REQUEST, `a page can have at most ${MAX_VIEWS} views: close some`);
  }

  #checkWanted(signal: AbortSignal): void {
    if (signal.aborted || this.#ended.isOver) throw new VitrineError("aborted", "the request was cancelled");
  }

  /** Prepares a view of exactly this server: another one of the same name gets nothing. */
  async #prepare(
    { name, identity }: { name: string; identity: string },
    wanted: WantedView,
    signal: AbortSignal,
  ): Promise<{ opened: OpenedView; at: GuardedServer }> {
    const options = this.#options;
    const at = options.server(name);
    if (at.server.settings.identity !== identity) throw replacedServer(name);
    const id = newView();
    options.know(id, at.server.settings, wanted);
    try {
      const opened = await options.prepare(id, at, wanted, AbortSignal.any([signal, this.#ended.signal]));
      this.#checkWanted(signal);
      // The settings may have changed meanwhile: then it is a different server, or removed.
      const now = options.server(name);
      if (now.server.settings.identity !== identity) throw replacedServer(name);
      return { opened, at: now };
    } catch (error) {
      options.forget(id);
      throw error;
    }
  }

  #add(opened: OpenedView, at: GuardedServer): ViewChannel {
    const { wire, user, refused, refuse, sampling, messageLimit } = this.#options;
    const view = new ViewChannel({
      opened,
      user,
      at,
      refused,
      refuse,
      sampling,
      messageLimit,
      send: (text) => wire.send(opened.view, text),
      isCongested: () => wire.isFull,
      onerror: (error) => isUnexpected(error) && this.#options.onerror(error),
    });
    this.#views.set(opened.view, view);
    return view;
  }

  /** Closes a view, and settles its call. */
  close(id: string): void {
    this.#onclose(id);
    this.#restores.stop(id);
    const view = this.#views.get(id);
    this.#views.delete(id);
    view?.close();
    this.#calls.cancel(id, "the view was closed");
    if (view) this.#conversations.closed(view.opened);
    if (view) this.#closed.set(id, { server: view.opened.server, identity: view.opened.identity });
    const { place } = this.#documents.get(id) ?? {};
    if (place) this.#options.closeDocument(place);
    this.#documents.delete(id);
    for (const oldest of this.#closed.keys()) {
      if (this.#closed.size <= MAX_CLOSED) break;
      this.#closed.delete(oldest);
    }
    this.#options.forget(id);
    this.#options.wire.closeChannel(id);
  }

  /** Shows a call of a conversation. If that fails, the view is closed. */
  async #showCall(view: ViewChannel, call: ConversationCall): Promise<OpenedView> {
    try {
      const opened = await this.#conversations.show(view, call);
      const [fitted = opened] = inOneMessage([opened], 0.75 * this.#messageLimit, () => view.notifyCall());
      return fitted;
    } catch (error) {
      this.close(view.view);
      throw error;
    }
  }
}

/** A random id that is unique across all users. */
const newView = (): string => `v${randomBytes(12).toString("base64url")}`;
