/**
 * A page's connection to a gateway, for all of its views.
 *
 * @module
 */

import {
  INTERNAL_ERROR,
  JsonText,
  Listeners,
  METHOD_NOT_FOUND,
  recordOf,
  VitrineError,
} from "@vitrine/protocol";
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
import { type ConnectionOptions, type GatewayState, PageConnection } from "./connection.js";
import { GatewayView } from "./view.js";

/** Options of {@link connectGateway}. */
export interface GatewayClientOptions extends ConnectionOptions {
  /**
   * Asks the user; `askInPage` does. The question's `view` is the {@link GatewayView.id} of the requesting
   * view, if this page has it. The signal aborts when the question is obsolete. Without it every question is
   * denied.
   */
  onask?: ((question: GatewayQuestion, signal: AbortSignal) => Promise<GatewayAnswer>) | undefined;
  /** Answers other requests of the gateway, by method. The signal aborts when a request is obsolete. */
  answers?: GatewayAnswers | undefined;
  /**
   * Another page, a duplicate of this tab, takes over the session. This one starts another: its views are
   * gone.
   */
  ontakenover?: (() => void) | undefined;
}

/** A page's answers to the gateway: for its conversations, and for its servers. */
export type GatewayAnswers = {
  [M in Exclude<keyof GatewayAsks, "gateway/ask">]?: (
    params: GatewayAsks[M]["params"],
    signal: AbortSignal,
  ) => Promise<GatewayAsks[M]["result"]>;
};

/** Options of one request to the gateway. */
export type GatewayRequestOptions = Pick<CallOptions, "id" | "signal" | "onprogress">;

type OpeningMethod = "gateway/open" | "gateway/show";
/** Maximum messages for unknown views, while one is being opened. */
const MAX_EARLY = 1000;

/**
 * The client of a gateway. Created by {@link connectGateway}.
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
export class GatewayClient {
  readonly #options: GatewayClientOptions;
  readonly #connection: PageConnection;
  readonly #calls: Calls;
  readonly #main = portOf(MAIN_CHANNEL, false);
  readonly #views = new Map<string, GatewayView>();
  /** Documents without a server, to open again at a restarted gateway. */
  readonly #documents = new WeakMap<GatewayView, object>();
  readonly #listeners = new Listeners<[method: unknown, params: never]>();
  readonly #asked = new Map<string, AbortController>();
  /** Identities of servers by name, as last reported to this page. */
  readonly #identities = new Map<string, string | undefined>();
  #opening = 0;
  #early: [channel: string, text: string][] = [];

  /** @internal */
  constructor(options: GatewayClientOptions) {
    this.#options = options;
    this.#connection = new PageConnection(options, {
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

  /** The current state of the connection. */
  get state(): GatewayState {
    return this.#connection.state;
  }

  /**
   * Sends a request to the gateway. Waits over a lost connection; a request that a restart of the gateway
   * interrupted ends as `indeterminate` (`data.code`) unless it is safe to repeat.
   */
  async request<M extends keyof GatewayRequests>(
    method: M,
    params: GatewayRequests[M]["params"],
    options?: GatewayRequestOptions,
  ): Promise<GatewayRequests[M]["result"]> {
    const result = await this.#calls.request(this.#main, method, this.#addressed(method, params), options);
    // Large answers arrive as text; these few are parsed here.
    const read = plain(result) as GatewayRequests[M]["result"];
    if (method === "gateway/servers")
      for (const summary of (read as GatewayRequests["gateway/servers"]["result"]).servers)
        this.#learn(summary);
    else if (method === "gateway/start" || method === "gateway/restart") this.#learn(read as ServerSummary);
    return read;
  }

  /** Adds a listener for the gateway's notifications. Returns a function that removes it. */
  on<M extends keyof GatewayNotices>(method: M, listener: (params: GatewayNotices[M]) => void): () => void {
    return this.#listeners.add((heard, params) => heard === method && listener(params));
  }

  /**
   * Opens the view of a tool, with `arguments` also calls it, or opens a UI by its address. {@link
   * GatewayView.onprogress} and {@link GatewayView.onnotice} report its call.
   */
  openView(
    params: GatewayRequests["gateway/open"]["params"],
    options?: Pick<CallOptions, "signal">,
  ): Promise<GatewayView> {
    return this.#openView("gateway/open", params, options);
  }

  /**
   * Shows a document without a server, such as one of a recording: in the sandbox, under the policy of its
   * `meta`, without permissions, and with empty storage. Requests to its `upstream` or `guard` are refused:
   * give its bridge others.
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

  #learn({ name, identity }: ServerSummary): void {
    this.#identities.set(name, identity);
  }

  /**
   * The identity of the server that this page knows by a name. A call that waits before it is sent passes it
   * on: if another server has the name by then, the call is refused with `server-replaced`.
   */
  identityOf(server: string): string | undefined {
    return this.#identities.get(server);
  }

  /** Names the server that the page knows, so that another one that takes its name later does not get what still waits. */
  #addressed(method: string, params: object): object {
    const { server = "" } = params as { server?: string };
    return /^(gateway\/(call|open|read|prompt|complete|(un)?subscribe|set-log-level|roots|ping|(un)?watch|task.*|icon)|conversation\/call)$/.test(
      method,
    )
      ? { identity: this.#identities.get(server), ...params }
      : params;
  }

  /** The views of this tab from before a reload, which the gateway has kept. */
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

  /** Messages for views that are being opened are queued, because channels are independent. */
  async #open(method: string, params: object, options: CallOptions): Promise<void> {
    this.#opening++;
    try {
      const isFollowed = method === "gateway/show" ? undefined : true;
      await this.#calls.request(this.#main, method, { ...params, isFollowed }, options);
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
        // A view that is just being reopened is closed afterwards.
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
      if (method === "gateway/status") this.#learn(params as ServerSummary);
      if (method === "conversation/changed") this.#passResults(params as GatewayNotices[typeof method]);
      if (method === "gateway/withdrawn") this.#asked.get(`${recordOf(params).id}`)?.abort();
      this.#listeners.notify(method, params as never);
    }
  }

  /** Passes results of calls on to the views that show them: the gateway sends each result once. */
  #passResults({ id, changes }: GatewayNotices["conversation/changed"]): void {
    for (const change of changes)
      for (const view of this.#views.values()) if (change.kind === "item") view.changed(id, change.item);
  }

  async #answer(id: string, method: string, params: unknown): Promise<void> {
    const { onask, answers } = this.#options;
    const controller = new AbortController();
    let answer: object = { error: { code: METHOD_NOT_FOUND, message: "nobody answers that" } };
    const act = (method === "gateway/ask" ? onask : answers?.[method as keyof GatewayAnswers]) as
      | ((params: object, signal: AbortSignal) => Promise<unknown>)
      | undefined;
    if (act) {
      // The gateway asks again after a reload, but not after a lost connection.
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

  /** The session is new: unanswered requests are repeated, and views are reopened before they continue. */
  #renewed(isFirst: boolean): void {
    this.#withdraw();
    this.#calls.again(this.#main);
    if (isFirst) return;
    const views = [...this.#views.values()];
    this.#views.clear();
    for (const view of views) void this.#reopen(view);
  }

  async #reopen(view: GatewayView): Promise<void> {
    const { server, identity, tool, uri, narrow, dialects, call } = view.opened;
    const document = this.#documents.get(view);
    const params = document ?? {
      server,
      identity,
      narrow,
      dialects,
      tool: tool?.name,
      uri: tool ? undefined : uri,
      call,
    };
    view.waits();
    try {
      await this.#open(document ? "gateway/show" : "gateway/open", params, {
        // Repeated requests may have filled the queue.
        isUrgent: true,
        onresult: (result) => {
          const opened = plain(result) as OpenedView;
          this.#views.set(opened.view, view);
          if (!view.reopened(opened)) void view.close();
        },
      });
    } catch (error) {
      // A refused request rejects with one of our errors.
      view.ended((error as Error).message);
    }
  }

  #takenOver(): void {
    this.#drop("another tab took over this session");
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
 * Connects a page to its gateway, and keeps it connected: over lost networks, reloads, and proxies without
 * WebSocket support.
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
export function connectGateway(options: GatewayClientOptions): GatewayClient {
  return new GatewayClient(options);
}

const plain = (result: unknown): unknown => (result instanceof JsonText ? result.parse() : result);
