/**
 * Implements the companion's host with a gateway.
 *
 * @module
 */

import { type CallToolResult, JsonText, Listeners, type Progress } from "@vitrine/protocol";
import {
  type CallItem,
  type ConversationChange,
  GatewayError,
  type ServerCatalogue,
  type ServerSummary,
} from "@vitrine/wire";
import type { CompanionConversation, CompanionGateway } from "./companion-gateway.js";
import type {
  CallOutcome,
  CompanionApp,
  CompanionCall,
  CompanionHost,
  FollowOptions,
  ListedServer,
  News,
  ServerProblem,
  Showing,
} from "./companion-host.js";
import { GONE, Presence } from "./presence.js";
import { ShownApps } from "./shown-apps.js";

/** Options of {@link GatewayHost}. */
export interface GatewayHostOptions {
  readonly gateway: CompanionGateway;
  /** The owner of the conversation. */
  readonly user: string;
  /** Opens the user's browser, signed in, at the conversation. Resolves to whether a browser was started. */
  open?: ((link: { fragment: string }) => Promise<boolean>) | undefined;
  /** Called with errors that listeners throw. */
  onerror?: ((error: unknown) => void) | undefined;
}

/** A running call. */
interface Waiting {
  progress(progress: Progress): void;
  look(): void;
}

/** Milliseconds within which an opened browser should connect. */
const OPENING = 15_000;
/** Milliseconds between checks of the connected pages. */
const LOOK = 500;
/** Key for the presence of any page; views have other keys. */
const PAGE = "page";

/** The fragment that makes the workbench show a conversation. */
export const conversationFragment = (id: string): string => `conversation=${id}`;

/**
 * The companion's host in a gateway. Created by {@link GatewayHost.open}.
 *
 * @example
 * ```ts source="./companion.examples.ts#gatewayHost"
 * const host = await GatewayHost.open({ gateway, user: "local" });
 * const companion = new Companion(host);
 * ```
 */
export class GatewayHost implements CompanionHost {
  readonly #options: GatewayHostOptions;
  readonly #apps = new ShownApps();
  readonly #waiting = new Map<string, Waiting>();
  /** User entries that were published as news. */
  readonly #told = new Set<string>();
  readonly #titles = new Map<string, string>();
  readonly #news: Listeners<[News]>;
  readonly #appsChanged: Listeners;
  readonly #serverChanged: Listeners<[server: string]>;
  readonly #going = new Map<number, NodeJS.Timeout>();
  readonly #looking: NodeJS.Timeout;
  #conversation: CompanionConversation;
  #stops: (() => void)[] = [];
  #openedAt = Number.NEGATIVE_INFINITY;
  #agents: readonly string[] = [];
  readonly #presence = new Presence();

  private constructor(options: GatewayHostOptions, conversation: CompanionConversation) {
    this.#options = options;
    this.#conversation = conversation;
    this.#news = new Listeners(options.onerror);
    this.#appsChanged = new Listeners(options.onerror);
    this.#serverChanged = new Listeners(options.onerror);
    this.#follow(conversation);
    this.#looking = setInterval(() => this.#lookAround(), LOOK).unref();
  }

  /** Opens a separate conversation. */
  static async open(options: GatewayHostOptions): Promise<GatewayHost> {
    return new GatewayHost(options, await options.gateway.conversations.open(options.user));
  }

  /** A link for the user that signs a browser in once. Never log it. */
  get link(): string {
    const { gateway, user } = this.#options;
    return gateway.loginUrl(user, { fragment: conversationFragment(this.#conversation.id) });
  }

  /** The same address for a browser that is already signed in. */
  get address(): string {
    return `${this.#options.gateway.origin}/#${conversationFragment(this.#conversation.id)}`;
  }

  get servers(): readonly string[] {
    return this.#options.gateway.api.servers(this.#caller).map(({ name }) => name);
  }

  get notices(): readonly string[] {
    return this.#options.gateway.api.servers(this.#caller).flatMap(({ notice }) => notice ?? []);
  }

  identityOf(server: string): string | undefined {
    return this.#options.gateway.api.servers(this.#caller).find(({ name }) => name === server)?.identity;
  }

  get problems(): readonly ServerProblem[] {
    return this.#options.gateway.api.servers(this.#caller).flatMap((summary) => {
      const message = problemOf(summary);
      return message === undefined ? [] : [{ server: summary.name, message }];
    });
  }

  get apps(): readonly CompanionApp[] {
    return this.#apps.all;
  }

  async catalogue(server: string): Promise<ServerCatalogue> {
    const catalogue = await this.#options.gateway.api.catalogue(this.#caller, server);
    for (const { name, title, annotations } of catalogue.tools)
      this.#titles.set(`${server}\n${name}`, title ?? annotations?.title ?? name);
    return catalogue;
  }

  async call(call: CompanionCall, options: FollowOptions): Promise<CallOutcome> {
    const { server, identity, tool, arguments: input, isShownElsewhere } = call;
    // Marked as closed, so that the page does not open an app that is shown elsewhere.
    const page = isShownElsewhere ? { isClosed: true } : undefined;
    const { agent } = options;
    const item = await this.#outcome(
      (conversation) => conversation.call(server, tool, input, { page, agent, identity }),
      options,
    );
    // A failed call does not open a browser.
    const isShown = item.hasApp && item.state === "done" && !isShownElsewhere;
    return {
      result: resultOf(item),
      ...(isShown && { app: this.#apps.show(item, this.#titles.get(`${server}\n${tool}`)) }),
    };
  }

  async callApp(
    number: number,
    tool: string,
    input: Record<string, unknown>,
    options: FollowOptions,
  ): Promise<CallToolResult> {
    const view = this.#apps.viewOf(number);
    if (view === undefined)
      throw new GatewayError(
        "view-unknown",
        "the app is closed, and its tools are gone: open it again with its server's tool",
      );
    const { agent } = options;
    return resultOf(
      await this.#outcome((conversation) => conversation.callApp(view, tool, input, agent), options),
    );
  }

  async ask(
    { server, identity }: ListedServer,
    method: "tools/call" | "resources/read" | "prompts/get",
    params: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<Record<string, unknown>> {
    const { api } = this.#options.gateway;
    const answer = await api.request(this.#caller, server, method, params, { signal, identity });
    return Object(answer instanceof JsonText ? answer.parse() : answer);
  }

  async show(): Promise<Showing> {
    const address = this.address;
    await this.settled();
    if (this.#isWatched) return { state: "open", address };
    // Several apps at once need only one browser.
    const isOpening = performance.now() - this.#openedAt < OPENING;
    if (!isOpening) {
      this.#openedAt = performance.now();
      const fragment = conversationFragment(this.#conversation.id);
      if (!(await this.#options.open?.({ fragment }))) this.#openedAt = Number.NEGATIVE_INFINITY;
    }
    const isAsked = this.#openedAt !== Number.NEGATIVE_INFINITY;
    return isAsked ? { state: "opening", address } : { state: "link", url: this.link };
  }

  async settled(): Promise<void> {
    // By then a reloading page is back, or counts as closed.
    const end = performance.now() + GONE + LOOK;
    const isUnsure = (): boolean => {
      this.#lookAround();
      const mayComeBack = this.#conversation.openApps.some(
        ({ view, isThere }) => !isThere && this.#presence.isThere(view),
      );
      return this.#going.size > 0 || mayComeBack || (!this.#isWatched && this.#presence.isThere(PAGE));
    };
    while (isUnsure() && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 100));
    this.#lookAround();
  }

  setAgents(agents: readonly string[]): void {
    this.#agents = agents;
    this.#conversation.answerElsewhere(agents);
  }

  received(): void {
    this.#conversation.readElsewhere();
  }

  onNews(listener: (news: News) => void): () => void {
    return this.#news.add(listener);
  }

  onApps(listener: () => void): () => void {
    return this.#appsChanged.add(listener);
  }

  onServer(listener: (server: string) => void): () => void {
    return this.#serverChanged.add(listener);
  }

  /** A server's lists may have changed: it restarted, or sent a notification. */
  serverChanged(server: string): void {
    this.#serverChanged.notify(server);
  }

  close(): void {
    for (const stop of this.#stops) stop();
    for (const timer of this.#going.values()) clearTimeout(timer);
    this.#going.clear();
    clearInterval(this.#looking);
  }

  /** Whether a connected page shows the conversation. */
  get #isWatched(): boolean {
    // This object is one of the subscribers.
    return this.#conversation.listenerCount > 1;
  }

  /** Polls, because nothing signals when a page loses its connection. */
  #lookAround(): void {
    if (this.#isWatched) {
      this.#presence.seen(PAGE);
      // If the tab is closed now, a new one may open immediately.
      this.#openedAt = Number.NEGATIVE_INFINITY;
    }
    const isNew = this.#conversation.openApps.map(({ view, isThere }) => {
      if (isThere) this.#presence.seen(view);
      return this.#apps.shows(view) !== this.#presence.isThere(view);
    });
    if (isNew.includes(true)) this.#lookAtApps();
  }

  get #caller() {
    return { user: this.#options.user };
  }

  /** Starts something in the conversation, and resolves to its entry when it is over. */
  async #outcome(
    begin: (conversation: CompanionConversation) => Promise<string>,
    { signal, onprogress }: FollowOptions,
  ): Promise<CallItem> {
    signal.throwIfAborted();
    const id = await this.#begin(begin);
    const conversation = this.#conversation;
    return new Promise((resolve, reject) => {
      const end = (): void => {
        this.#waiting.delete(id);
        signal.removeEventListener("abort", stop);
      };
      const look = (): void => {
        const item = conversation.find(id);
        if (item?.kind === "call" && (item.state === "running" || item.state === "writing")) return;
        end();
        if (item?.kind === "call") resolve({ ...item });
        else reject(new GatewayError("item-unknown", "the user removed the call before it finished"));
      };
      const stop = (): void => {
        conversation.stop(id);
        look();
      };
      this.#waiting.set(id, { look, progress: onprogress });
      signal.addEventListener("abort", stop, { once: true });
      if (signal.aborted) stop();
      else look();
    });
  }

  async #begin(begin: (conversation: CompanionConversation) => Promise<string>): Promise<string> {
    try {
      return await begin(this.#conversation);
    } catch (error) {
      // The conversation is full, or the user deleted it: continue in a new one.
      const code: unknown = Object(Object(error)["data"])["code"];
      if (code !== "conversation-too-large" && code !== "stopping") throw error;
      await this.#renew();
      return begin(this.#conversation);
    }
  }

  async #renew(): Promise<void> {
    const { gateway, user } = this.#options;
    const next = await gateway.conversations.open(user);
    for (const stop of this.#stops) stop();
    for (const { look } of [...this.#waiting.values()]) look();
    this.#apps.clear();
    this.#told.clear();
    this.#conversation = next;
    this.#follow(next);
    this.#appsChanged.notify();
  }

  #follow(conversation: CompanionConversation): void {
    conversation.answerElsewhere(this.#agents);
    this.#stops = [
      conversation.subscribe((_id, _seq, changes) => {
        for (const change of changes) this.#changed(change);
      }),
      conversation.onApps(() => this.#lookAtApps()),
    ];
  }

  #changed(change: ConversationChange): void {
    if (change.kind === "progress") this.#waiting.get(change.item)?.progress(change.progress);
    else if (change.kind === "removed") this.#waiting.get(change.item)?.look();
    else if (change.kind === "contexts") {
      for (const context of this.#apps.setContexts(change.contexts)) {
        const { content, structuredContent } = context;
        const from = this.#apps.speaker(context);
        if (from) this.#news.notify({ kind: "context", from, content, structuredContent });
      }
      this.#appsChanged.notify();
    } else if (change.kind === "item") {
      const { item } = change;
      if (item.kind === "call") {
        const waiting = this.#waiting.get(item.id);
        if (item.progress && item.state === "running") waiting?.progress(item.progress);
        waiting?.look();
      }
      if (item.kind !== "user" || this.#told.has(item.id)) return;
      this.#told.add(item.id);
      this.#news.notify({ kind: "message", from: this.#apps.speaker(item.from), content: item.content });
    }
  }

  #lookAtApps(): void {
    const { openApps } = this.#conversation;
    for (const { view, isThere } of openApps) if (isThere) this.#presence.seen(view);
    const open = openApps.filter(({ view }) => this.#presence.isThere(view));
    const lost = new Set(openApps.filter((each) => !open.includes(each)).map(({ app }) => app.item));
    for (const { item, ...from } of this.#apps.setOpen(open)) {
      clearTimeout(this.#going.get(from.number));
      const notify = (): void => {
        this.#going.delete(from.number);
        if (!this.#apps.isOpen(from.number)) this.#news.notify({ kind: "closed", from });
      };
      // For a page without a connection, the wait is already over.
      if (lost.has(item)) notify();
      else this.#going.set(from.number, setTimeout(notify, GONE).unref());
    }
    this.#appsChanged.notify();
  }
}

/** Why a server does not work; undefined if it does, or was not needed yet. */
function problemOf({ state, problem, authorizeUrl }: ServerSummary): string | undefined {
  if (state === "ready") return undefined;
  if (state === "unauthorized")
    return `the user must sign in first, ${authorizeUrl ? `at ${authorizeUrl}` : "in the workbench"}`;
  if (problem) return problem.message;
  return state === "idle"
    ? undefined
    : state === "starting"
      ? "it has not answered yet"
      : "it is not running";
}

/** The outcome of a call, for an agent. */
function resultOf({ state, result, problem, isResultLost }: CallItem): CallToolResult {
  if (result) return result;
  if (isResultLost && state === "done")
    return { content: [{ type: "text", text: "It was done. Its result was too large to be stored." }] };
  const why = problem ?? "the reason is unknown";
  // The server may have received the call, so an agent must not simply repeat it.
  const text =
    state === "cancelled"
      ? `The call was cancelled: ${why}. It may have been executed anyway.`
      : `The call failed: ${why}`;
  return { content: [{ type: "text", text }], isError: true };
}
