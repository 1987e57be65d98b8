/**
 * A page's connection to a gateway: one for all of its views.
 *
 * @module
 */

import { INTERNAL_ERROR, JsonText, METHOD_NOT_FOUND, VitrineError } from "@vitrine/protocol";
import {
  type GatewayAnswer,
  type GatewayAsks,
  type GatewayNotices,
  type GatewayQuestion,
  type GatewayRequests,
  MAIN_CHANNEL,
  type OpenedView,
  type ServerSummary,
} from "@vitrine/wire";
import { type CallOptions, Calls, portOf } from "./calls.js";
import { Connection, type ConnectionOptions, type GatewayState } from "./connection.js";
import { GatewayView } from "./view.js";

/** Options of {@link connectGateway}. */
export interface GatewayOptions extends ConnectionOptions {
  /**
   * Asks the person; `askInPage` does. The question's `view` is the {@link GatewayView.id} of the view that asks, if this
   * page has it. The signal is aborted when the question no longer matters. Without it every question is a no.
   */
  onask?: ((question: GatewayQuestion, signal: AbortSignal) => Promise<GatewayAnswer>) | undefined;
  /** Answers what else the gateway asks of a page, by method. The signal is aborted when it no longer matters. */
  answers?: GatewayAnswers | undefined;
  /** Another page, a duplicate of this tab, goes on with the session. This one begins another: its views are gone. */
  ontakenover?: (() => void) | undefined;
}

/** What a page does when the gateway asks it: for its conversations, and for its servers. */
export type GatewayAnswers = {
  [M in Exclude<keyof GatewayAsks, "gateway/ask">]?: (
    params: GatewayAsks[M]["params"],
    signal: AbortSignal,
  ) => Promise<GatewayAsks[M]["result"]>;
};

/** Options of one request to the gateway. */
export type GatewayRequestOptions = Pick<CallOptions, "id" | "signal" | "onprogress">;

type OpeningMethod = "gateway/open" | "gateway/show";
type NoticeListener = (params: never) => void;

/** Messages for views that are not known yet, while one is being opened. */
const MAX_EARLY = 1000;

/**
 * A gateway, from the page. Made by {@link connectGateway}.
 *
 * @example
 * ```ts source="./gateway.examples.ts#request"
 * const { tools } = await gateway.request("gateway/catalogue", { server: "weather" });
 * // As the model would: only tools that are visible to it.
 * const result = await gateway.request("gateway/call", { server: "weather", name: "forecast" });
 * const stop = gateway.on("gateway/status", ({ name, problem }) => {
 *   if (problem) show(`${name}: ${problem.message}`);
 * });
 * ```
 */
export class Gateway {
  readonly #options: GatewayOptions;
  readonly #connection: Connection;
  readonly #calls: Calls;
  readonly #main = portOf(MAIN_CHANNEL, false);
  readonly #views = new Map<string, GatewayView>();
  /** Documents without a server, for a gateway that was restarted: it knows them no more. */
  readonly #documents = new WeakMap<GatewayView, object>();
  readonly #listeners = new Map<string, Set<NoticeListener>>();
  readonly #asked = new Map<string, AbortController>();
  /** Identities of servers by name, as this page last heard of them. */
  readonly #identities = new Map<string, string | undefined>();
  #opening = 0;
  #early: [channel: string, text: string][] = [];

  /** @internal */
  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#connection = new Connection(options, {
      renewed: (isFirst) => this.#renewed(isFirst),
      takenOver: () => this.#takenOver(),
      closed: (message) => this.#drop(message),
    });
    const { session } = this.#connection;
    session.onmessage = (channel, text) => this.#receive(channel, text);
    this.#calls = new Calls((channel, text, isUrgent) => {
      if (this.state.phase === "closed") throw new VitrineError("closed", this.state.message);
      const limit = this.#connection.messageLimit;
      if (text.length > limit) {
        throw new VitrineError("send-failed", `the gateway takes at most ${limit} characters`);
      }
      session.send(channel, text, isUrgent);
    });
    this.#connection.start();
  }

  /** How it is with the gateway now. */
  get state(): GatewayState {
    return this.#connection.state;
  }

  /**
   * Asks the gateway. Waits over a lost connection; a request that a restart of the gateway cut off ends as
   * `indeterminate` (`data.code`) unless it is safe to do again.
   */
  async request<M extends keyof GatewayRequests>(
    method: M,
    params: GatewayRequests[M]["params"],
    options?: GatewayRequestOptions,
  ): Promise<GatewayRequests[M]["result"]> {
    const result = await this.#calls.request(this.#main, method, this.#addressed(method, params), options);
    // Large answers come as text; these few are read here.
    const read = plain(result) as { servers?: ServerSummary[] };
    for (const { name, identity } of read.servers ?? []) this.#identities.set(name, identity);
    return read as GatewayRequests[M]["result"];
  }

  /** Hears what the gateway says by itself. Call what it returns to stop. */
  on<M extends keyof GatewayNotices>(method: M, listener: (params: GatewayNotices[M]) => void): () => void {
    let listeners = this.#listeners.get(method);
    if (!listeners) this.#listeners.set(method, (listeners = new Set()));
    const own: NoticeListener = (params) => listener(params);
    listeners.add(own);
    return () => listeners.delete(own);
  }

  /**
   * Opens a view of a tool, with `arguments` also calls it, or opens a UI by its address. The view hears of its call by
   * {@link GatewayView.onprogress} and {@link GatewayView.onnotice}.
   */
  openView(
    params: GatewayRequests["gateway/open"]["params"],
    options?: Pick<CallOptions, "signal">,
  ): Promise<GatewayView> {
    return this.#openView("gateway/open", params, options);
  }

  /**
   * Shows a document that has no server, such as that of a recording: in the sandbox, under the policy that its `meta`
   * declares, without permissions, and with an empty storage. What it asks of its `upstream` or `guard` is refused: give
   * its bridge others.
   */
  showDocument(
    params: GatewayRequests["gateway/show"]["params"],
    options?: Pick<CallOptions, "signal">,
  ): Promise<GatewayView> {
    return this.#openView("gateway/show", params, options);
  }

  async #openView(method: OpeningMethod, params: object, options?: CallOptions): Promise<GatewayView> {
    let view: GatewayView | undefined;
    await this.#open(method, this.#addressed(method, params), {
      ...options,
      onresult: (result) => (view = this.#add(plain(result) as OpenedView)),
    });
    if (!view) throw new VitrineError("invalid", "nothing was opened");
    if (method === "gateway/show") this.#documents.set(view, params);
    return view;
  }

  /** Names the server that the page knows, so that another one that takes its name later does not get what still waits. */
  #addressed(method: string, params: object): object {
    const { server = "" } = params as { server?: string };
    return /^(gateway\/(call|open)|conversation\/call)$/.test(method)
      ? { identity: this.#identities.get(server), ...params }
      : params;
  }

  /** The views that this tab had before it was reloaded: the gateway has kept them. */
  async restoreViews(): Promise<GatewayView[]> {
    const views: GatewayView[] = [];
    await this.#open(
      "gateway/views",
      {},
      {
        onresult: (result) => {
          for (const opened of (plain(result) as { views: OpenedView[] }).views) {
            views.push(this.#views.get(opened.view) ?? this.#add(opened));
          }
        },
      },
    );
    return views;
  }

  /** Ends the session; its views are gone. */
  close(): void {
    this.#connection.close();
  }

  /** What comes for views that this page is about to hear of waits for them: channels do not wait for each other. */
  async #open(method: string, params: object, options: CallOptions): Promise<void> {
    this.#opening++;
    try {
      await this.#calls.request(this.#main, method, params, options);
    } finally {
      this.#opening--;
      if (this.#opening === 0) this.#early = [];
    }
  }

  #add(opened: OpenedView): GatewayView {
    const port = portOf(opened.view, true);
    const view = new GatewayView(opened, this.#calls, port, {
      cancel: (id) => this.request("gateway/cancel", { view: id }),
      close: async (closed) => {
        const { view: id } = closed.opened;
        closed.ended("the view is closed");
        // One that is just being opened again is closed when it is.
        if (this.#views.get(id) !== closed) return;
        this.#views.delete(id);
        this.#connection.session.closeChannel(id);
        await this.request("gateway/close", { view: id });
      },
    });
    this.#views.set(opened.view, view);
    const early = this.#early;
    this.#early = early.filter(([channel]) => channel !== opened.view);
    for (const [channel, text] of early) if (channel === opened.view) view.receive(text);
    return view;
  }

  #receive(channel: string, text: string): void {
    if (channel === MAIN_CHANNEL) {
      const message = this.#calls.receive(this.#main, text);
      if (message) this.#hear(message);
      return;
    }
    const view = this.#views.get(channel);
    if (view) view.receive(text);
    else if (this.#opening > 0 && this.#early.length < MAX_EARLY) this.#early.push([channel, text]);
  }

  #hear({ id, method, params }: Record<string, unknown>): void {
    if (typeof id === "string") void this.#answer(id, `${method}`, params);
    else {
      // The next answer names the server that is there now.
      if (method === "gateway/changed")
        this.#identities.delete(`${(Object(params) as { server?: unknown }).server}`);
      if (method === "gateway/withdrawn")
        this.#asked.get(`${(Object(params) as { id?: unknown }).id}`)?.abort();
      // One that throws stops nobody else (D19), and the window hears of it.
      for (const listener of [...(this.#listeners.get(`${method}`) ?? [])])
        void (async () => listener(params as never))();
    }
  }

  async #answer(id: string, method: string, params: unknown): Promise<void> {
    const { onask, answers } = this.#options;
    const controller = new AbortController();
    let answer: object = { error: { code: METHOD_NOT_FOUND, message: "nobody answers that" } };
    const act = (method === "gateway/ask" ? onask : answers?.[method as keyof GatewayAnswers]) as
      | ((params: object, signal: AbortSignal) => Promise<unknown>)
      | undefined;
    if (act) {
      // The gateway asks again after a reload, and after a lost connection does not.
      this.#asked.get(id)?.abort();
      this.#asked.set(id, controller);
      try {
        const { view = "", ...asked } = params as { view?: string };
        answer = {
          result: await act({ ...asked, view: this.#views.get(view)?.id ?? view }, controller.signal),
        };
      } catch (error) {
        const message = error instanceof Error ? error.message : "nobody answered";
        const data = error instanceof VitrineError ? { code: error.code } : undefined;
        answer = { error: { code: INTERNAL_ERROR, message, data } };
      }
      if (this.#asked.get(id) === controller) this.#asked.delete(id);
    }
    if (controller.signal.aborted || this.state.phase === "closed") return;
    this.#connection.session.send(MAIN_CHANNEL, JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
  }

  /** The session is new: what was not answered is asked again, and views are opened again before they go on. */
  #renewed(isFirst: boolean): void {
    this.#withdraw();
    this.#identities.clear();
    this.#calls.again(this.#main);
    if (isFirst) return;
    const views = [...this.#views.values()];
    this.#views.clear();
    for (const view of views) void this.#reopen(view);
  }

  async #reopen(view: GatewayView): Promise<void> {
    const { server, identity, tool, uri, narrow, call } = view.opened;
    const document = this.#documents.get(view);
    const params = document ?? {
      server,
      identity,
      narrow,
      tool: tool?.name,
      uri: tool ? undefined : uri,
      call,
    };
    view.waits();
    try {
      await this.#open(document ? "gateway/show" : "gateway/open", params, {
        onresult: (result) => {
          const opened = plain(result) as OpenedView;
          this.#views.set(opened.view, view);
          if (!view.reopened(opened)) void view.close();
        },
      });
    } catch (error) {
      // What a request is refused with is an error of ours.
      view.ended((error as Error).message);
    }
  }

  #takenOver(): void {
    this.#drop("another tab goes on with this one's session");
    this.#options.ontakenover?.();
  }

  #drop(message: string): void {
    this.#withdraw();
    for (const view of this.#views.values()) view.ended(message);
    this.#views.clear();
    this.#calls.fail(message);
  }

  #withdraw(): void {
    for (const controller of this.#asked.values()) controller.abort();
    this.#asked.clear();
  }
}

/**
 * Connects a page to its gateway, and keeps it connected: over lost networks, reloads, and proxies that let no
 * WebSocket pass.
 *
 * @example
 * ```ts source="./gateway.examples.ts#connectGateway"
 * const gateway = connectGateway({
 *   url: "/api/session",
 *   onstate: ({ phase }) => show(phase),
 *   onask: askInPage,
 * });
 * const { servers } = await gateway.request("gateway/servers", {});
 * show(servers.map(({ name, state }) => `${name}: ${state}`).join("\n"));
 * ```
 */
export function connectGateway(options: GatewayOptions): Gateway {
  return new Gateway(options);
}

const plain = (result: unknown): unknown => (result instanceof JsonText ? result.parse() : result);
