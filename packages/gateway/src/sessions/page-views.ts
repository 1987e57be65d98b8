/**
 * The views of a page: opened, restored, closed, and the calls that they show.
 *
 * @module
 */
import { randomBytes } from "node:crypto";
import {
  type CallToolResult,
  INVALID_PARAMS,
  INVALID_REQUEST,
  type JsonText,
  type Narrowing,
  type Progress,
  recordOf,
  VitrineError,
} from "@vitrine/protocol";
import { replacedServer, type ServerIdentity, showableResult } from "@vitrine/servers";
import {
  type ConversationCall,
  GatewayError,
  type GatewayRequests,
  type OpenedView,
  type ViewPlace,
} from "@vitrine/wire";
import type { SamplingService } from "../asks/index.js";
import type { GuardedCall } from "../guard/guarded-call.js";
import type { GuardedServer, GuardedServers } from "../guard/guarded-servers.js";
import type { ServerKey } from "../store/store.js";
import { headOf, isTooComplex } from "./complexity.js";
import { inOneMessage, MAX_MESSAGE } from "./message-size.js";
import type { PageConversations } from "./page-conversations.js";
import { withoutToken } from "./progress-token.js";
import { Restores } from "./restores.js";
import { errorMessage, isId, isUnexpected, keyOf, parse, resultMessage } from "./rpc.js";
import { withoutServer } from "./show-document.js";
import { ShownCall } from "./shown-call.js";
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
export interface PageViewsOptions {
  readonly user: string;
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
  /** @throws {GatewayError} `server-unknown` */
  server(name: string): GuardedServer;
  /** Passes a call through the guard of its server; see {@link GuardedServers.pass}. */
  readonly pass: GuardedServers["pass"];
  /** Refuses a call that reached no guard; see {@link GuardedServers.refuse}. */
  readonly refuse: GuardedServers["refuse"];
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
  /** Called with errors that the page does not see in full. */
  onerror(error: unknown): void;
}

/** Selects a view: by its tool or its resource; and how much its policy is narrowed. */
export interface WantedView {
  readonly tool?: string | undefined;
  readonly uri?: string | undefined;
  readonly narrow?: readonly Narrowing[] | undefined;
}

/** Limits: views of a page, and closed views whose servers are remembered. */
const MAX_VIEWS = 1000;
const MAX_CLOSED = 1000;

/** A request of the page, without its params. */
export interface PageRequest {
  readonly key: string | undefined;
  readonly signal: AbortSignal;
  readonly mayBeOld: boolean;
  /** Runs the action when the page has been sent the answer. */
  afterAnswer(action: () => void): void;
  readonly onprogress?: ((progress: Progress) => void) | undefined;
}

/** Handlers of the page's requests. */
export type PageHandlers = {
  [M in keyof GatewayRequests]: (
    params: GatewayRequests[M]["params"],
    request: PageRequest,
  ) => GatewayRequests[M]["result"] | Promise<GatewayRequests[M]["result"] | JsonText>;
};

/** Handlers of the requests about views and their calls. */
export type ViewHandlers = Pick<
  PageHandlers,
  "gateway/views" | "gateway/close" | "gateway/cancel" | "gateway/call" | "gateway/open" | "gateway/show"
>;

/** The views of a page that is connected, or may reconnect. */
export class PageViews {
  readonly #options: PageViewsOptions;
  readonly #conversations: PageConversations;
  /** Aborts when the page has ended. */
  readonly #ended: AbortSignal;
  readonly #onclose: (view: string) => void;
  readonly #views = new Map<string, ViewChannel>();
  /** Views without a server. */
  readonly #documents = new Map<string, OpenedView>();
  /** The running calls that views show. */
  readonly #shown = new Map<string, ShownCall>();
  /** The servers of closed views, for the records of late requests. */
  readonly #closed = new Map<string, Pick<OpenedView, "server" | "identity">>();
  readonly #restores: Restores;

  constructor(
    options: PageViewsOptions,
    conversations: PageConversations,
    ended: AbortSignal,
    onclose: (view: string) => void,
  ) {
    this.#options = options;
    this.#conversations = conversations;
    this.#ended = ended;
    this.#onclose = onclose;
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
    else this.#refuse(channel, text).catch(this.#options.onerror);
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

  readonly handlers: ViewHandlers = {
    "gateway/views": async ({ isFollowed }, { afterAnswer }) => {
      const before = [...[...this.#views.values()].map(({ opened }) => opened), ...this.#documents.values()];
      await this.#restores.wait(before);
      // Some may have been closed meanwhile; new ones are reported to the request that opened them.
      const views = before.filter(({ view }) => this.#has(view));
      const shown = views.map((opened) => this.#restores.asShown(opened));
      const notifyLater = (opened: OpenedView): void => this.#views.get(opened.view)?.notifyCall();
      if (isFollowed)
        afterAnswer(() => {
          for (const { view } of views) this.#conversations.follow(view);
        });
      return { views: inOneMessage(shown, this.#messageLimit / 4, notifyLater) };
    },
    "gateway/close": ({ view }) => {
      this.#checkView(view);
      this.close(view);
      return {};
    },
    "gateway/cancel": async ({ view }) => {
      this.#checkView(view);
      const opened = this.#views.get(view)?.opened;
      const cancelled = opened && (await this.#conversations.cancel(opened));
      return { cancelled: cancelled ?? this.#shown.get(view)?.cancel("the call was cancelled") ?? false };
    },
    "gateway/call": ({ server, name, arguments: input, identity }, request) =>
      this.#call({ ...this.#toolCall(server, name, input ?? {}, request), identity }, request.onprogress),
    "gateway/open": async (params, request) => {
      const { server, tool, uri, arguments: input, call, narrow, identity, isFollowed } = params;
      if ((tool === undefined) === (uri === undefined)) {
        throw new VitrineError(INVALID_PARAMS, 'name either a "tool" or a "uri"');
      }
      if (call && (input || tool === undefined))
        throw new VitrineError(
          INVALID_PARAMS,
          'a "call" is shown by the view of its "tool", and has its arguments',
        );
      const prepare = async () => {
        this.#checkRoom();
        // Before any question about a view that will not be shown.
        const { settings } = this.#options.server(server).server;
        if (call) await this.#conversations.checkServer(call, settings);
        const of = { name: server, identity: identity ?? settings.identity };
        return this.#prepare(of, { tool, uri, narrow }, request.signal);
      };
      const { opened, at } = await prepare().catch((error: unknown) => {
        if (tool === undefined || !input) throw error;
        return this.#cannotShow(this.#toolCall(server, tool, input, request), error);
      });
      const view = this.#add(opened, at);
      if (call && isFollowed) request.afterAnswer(() => this.#conversations.follow(opened.view));
      if (call) return this.#showCall(view, call);
      if (tool !== undefined && input)
        this.#show(view, at, tool, input, request).catch(this.#options.onerror);
      return opened;
    },
    "gateway/show": async (document, { signal }) => {
      this.#checkRoom();
      const opened = await this.#options.document(newView(), document);
      this.#checkWanted(signal);
      this.#documents.set(opened.view, opened);
      return opened;
    },
  };

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
    if (signal.aborted || this.#ended.aborted) throw new VitrineError("aborted", "the request was cancelled");
  }

  /** Prepares a view of exactly this server: another one of the same name gets nothing. */
  async #prepare(
    { name, identity }: { name: string; identity: string },
    wanted: WantedView,
    signal: AbortSignal,
  ): Promise<{ opened: OpenedView; at: GuardedServer }> {
    const { know, forget, prepare } = this.#options;
    const at = this.#options.server(name);
    if (at.server.settings.identity !== identity) throw replacedServer(name);
    const id = newView();
    know(id, at.server.settings, wanted);
    try {
      const opened = await prepare(id, at, wanted, AbortSignal.any([signal, this.#ended]));
      this.#checkWanted(signal);
      // The settings may have changed meanwhile: then it is a different server, or removed.
      const now = this.#options.server(name);
      if (now.server.settings.identity !== identity) throw replacedServer(name);
      return { opened, at: now };
    } catch (error) {
      forget(id);
      throw error;
    }
  }

  #add(opened: OpenedView, at: GuardedServer): ViewChannel {
    const { wire, user, refused, refuse, sampling, messageLimit, onerror } = this.#options;
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
      onerror: (error) => isUnexpected(error) && onerror(error),
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
    this.#shown.get(id)?.cancel("the view was closed");
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

  /** A tool call on behalf of the model or the user. */
  #toolCall(
    server: string,
    name: string,
    input: Record<string, unknown>,
    { key, signal, mayBeOld }: Pick<PageRequest, "key" | "signal" | "mayBeOld">,
    view = "",
  ): GuardedCall {
    return {
      view,
      server,
      method: "tools/call",
      params: { name, arguments: input },
      actor: "host",
      user: this.#options.user,
      signal,
      key,
      mayBeOld,
    };
  }

  async #call(call: GuardedCall, onprogress: PageRequest["onprogress"]): Promise<CallToolResult | JsonText> {
    const result = await this.#options.pass(call, ({ server }, { params, signal }) =>
      server.upstream.request("tools/call", params as { name: string }, { signal, onprogress }),
    );
    return result as CallToolResult | JsonText;
  }

  /**
   * Reports that the view of a call cannot be opened. The call itself may have run before the gateway was
   * restarted.
   */
  async #cannotShow(call: GuardedCall, error: unknown): Promise<never> {
    await this.#options.refuse(call, error);
    throw new GatewayError("indeterminate", "the call ran before, and its view can no longer be opened", {
      cause: error,
      data: { outcome: "ok", indeterminate: true },
    });
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

  /** Calls the tool that a view shows. The outcome is kept for a page that is reloaded meanwhile. */
  async #show(
    view: ViewChannel,
    at: GuardedServer,
    tool: string,
    input: Record<string, unknown>,
    { key, mayBeOld }: PageRequest,
  ): Promise<void> {
    const { view: id } = view.opened;
    const shown = new ShownCall(view, input);
    this.#shown.set(id, shown);
    try {
      const signal = AbortSignal.any([this.#ended, shown.signal]);
      const onprogress = (progress: Progress): void => shown.progress(progress);
      const { name } = at.server.settings;
      const call = this.#toolCall(name, tool, input, { key, mayBeOld, signal }, id);
      const answer = await this.#call(call, onprogress);
      const result = showableResult(answer);
      if (shown.done(result)) at.guard.learn(result);
    } catch (error) {
      if (isUnexpected(error)) this.#options.onerror(error);
      shown.cancel(error instanceof Error ? error.message : "the call failed");
    } finally {
      this.#shown.delete(id);
    }
  }
}

/** A random id that is unique across all users. */
const newView = (): string => `v${randomBytes(12).toString("base64url")}`;
