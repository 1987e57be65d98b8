/**
 * Keeps a server running: starts it on demand, restarts it after a failure, and stops it when it is unused.
 *
 * @module
 */
import type { Upstream, UpstreamNotification, UpstreamRequestOptions } from "@vitrine/guard";
import { Listeners, type LoggingLevel, recordOf, type UiDocument } from "@vitrine/protocol";
import { GatewayError } from "@vitrine/wire";
import { CatalogueCache } from "./catalogue.js";
import type { ConnectOptions, ServerConnection } from "./connection.js";
import { endOf, explainFailure, isUnsent, mayRepeat } from "./cut-off.js";
import type { WireExchange } from "./http-tap.js";
import { KeptSubscriptions } from "./kept-subscriptions.js";
import { PendingCalls } from "./pending-calls.js";
import { RunState } from "./run-state.js";
import type { Catalogue, CatalogueChange, Server, ServerStatus } from "./server.js";
import { type AskServer, isServerNotice, type ServerNotice } from "./server-requests.js";
import type { ServerSettings } from "./settings.js";
import { abortable } from "./support/abortable.js";
import { type Clock, systemClock } from "./support/clock.js";
import { keepUp } from "./upkeep.js";
import type { WireMessage, WireTap } from "./wire-tap.js";

/** Options of {@link ManagedServer}. */
export interface ManagedServerOptions {
  settings: ServerSettings;
  /**
   * Creates a connection with a completed handshake; called for every start. The signal aborts a start that
   * is no longer needed.
   */
  connect: (
    signal: AbortSignal,
    ongarbage: ConnectOptions["ongarbage"],
    tap: WireTap,
  ) => Promise<ServerConnection>;
  clock?: Clock | undefined;
  /** Called with errors that listeners throw. They affect neither the server nor other listeners. */
  onerror?: ((error: unknown) => void) | undefined;
}

/** Milliseconds that pending calls get when the server is stopped. */
const GRACE = 5_000;

/**
 * A server that survives failures of its process or connection.
 *
 * A call that is pending when the server ends fails with `server-exited` and is never repeated here;
 * `data.indeterminate` says whether it may have run. Lists and documents are requested once more.
 */
export class ManagedServer implements Server {
  readonly settings: ServerSettings;
  readonly upstream: Upstream;
  readonly ask: AskServer;
  readonly #options: ManagedServerOptions;
  readonly #clock: Clock;
  readonly #catalogue: CatalogueCache;
  readonly #notices: Listeners<[UpstreamNotification, Record<string, unknown>]>;
  readonly #serverNotices: Listeners<[ServerNotice, Record<string, unknown>]>;
  readonly #wire: Listeners<[WireMessage]>;
  readonly #http: Listeners<[WireExchange]>;
  readonly #tap: WireTap;
  #watchers = 0;
  #level: LoggingLevel | undefined;
  readonly #subscriptions: KeptSubscriptions;
  readonly #state: RunState;
  readonly #pending: PendingCalls;
  /** Calls that wait for the next start. */
  readonly #waiting: (() => void)[] = [];
  #connection: ServerConnection | undefined;
  #starting: Promise<ServerConnection> | undefined;
  #stopping: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #lastUse = 0;
  #endUpkeep: (() => void) | undefined;
  #unlisten: (() => void) | undefined;
  /** Aborts the start in progress in favour of a new one. */
  #again: AbortController | undefined;
  readonly #quit = new AbortController();

  constructor(options: ManagedServerOptions) {
    const { settings, clock = systemClock, onerror } = options;
    this.#options = options;
    this.settings = settings;
    this.#clock = clock;
    this.#pending = new PendingCalls(clock);
    this.#state = new RunState({
      name: settings.name,
      clock,
      connection: () => this.#connection,
      onretry: (didRun) => this.#retry(didRun),
      onerror,
    });
    this.#notices = new Listeners(onerror);
    this.#serverNotices = new Listeners(onerror);
    const wire = new Listeners<[WireMessage]>(onerror);
    this.#wire = wire;
    const http = new Listeners<[WireExchange]>(onerror);
    this.#http = http;
    const isWatched = (): boolean => this.#watchers > 0;
    this.#tap = {
      get isWatched() {
        return isWatched();
      },
      take: (message) => wire.notify(message),
      takeHttp: (exchange) => http.notify(exchange),
    };
    this.#subscriptions = new KeptSubscriptions({
      clock,
      onmissed: (uri) => this.#notices.notify("notifications/resources/updated", { uri }),
      onerror: (error, connection) => {
        this.#judge(error, connection, false);
        onerror?.(error);
      },
    });
    const state = this.#state;
    this.upstream = {
      server: settings.name,
      get capabilities() {
        return state.capabilities;
      },
      request: (method, params, requestOptions) =>
        this.#request(method, params, requestOptions, ({ upstream }) =>
          upstream.request(method, params, requestOptions),
        ),
      listen: (listener) => this.#notices.add(listener),
    };
    this.ask = (method, params, requestOptions) =>
      this.#request(method, params, requestOptions, ({ ask }) => ask(method, params, requestOptions));
    this.#catalogue = new CatalogueCache(this.upstream, { schemes: settings.schemes, onerror });
  }

  get status(): ServerStatus {
    return this.#state.status;
  }

  get underWay(): number {
    return this.#pending.size;
  }

  async start(): Promise<void> {
    if (this.#state.isStopped) throw stopping(this.settings.name);
    if (!this.#connection) await this.#launch();
  }

  /**
   * Ends the server and its child processes, and starts it again, whatever its state. Throws the error if the
   * start fails. Pending calls fail as after an exit; new calls wait.
   */
  async restart(): Promise<void> {
    // A connection that has just been made is not in use yet.
    if (this.#connection && this.#starting) await this.#starting;
    if (this.#state.isStopped) throw stopping(this.settings.name);
    const running = this.#connection;
    if (running) this.#drop(running);
    this.#state.forgetFailures();
    this.#again?.abort();
    await this.#launch(running);
  }

  async ready(): Promise<void> {
    await this.#ready();
  }

  catalogue(): Promise<Catalogue> {
    return this.#catalogue.get();
  }

  views(): Promise<Catalogue["views"]> {
    return this.#catalogue.views();
  }

  document(uri: string): Promise<UiDocument> {
    return this.#catalogue.document(uri);
  }

  onChange(listener: (changes: readonly CatalogueChange[]) => void): () => void {
    return this.#catalogue.onChange(listener);
  }

  onNotice(listener: (method: ServerNotice, params: Record<string, unknown>) => void): () => void {
    return this.#serverNotices.add(listener);
  }

  onWire(
    listener: (message: WireMessage) => void,
    onhttp: (exchange: WireExchange) => void = () => {},
  ): () => void {
    const removals = [this.#wire.add(listener), this.#http.add(onhttp)];
    let isOn = true;
    this.#watchers++;
    return () => {
      if (isOn) this.#watchers--;
      isOn = false;
      for (const remove of removals) remove();
    };
  }

  async setLogLevel(level: LoggingLevel): Promise<void> {
    const connection = this.#connection ?? (await this.#ready());
    await connection.setLogLevel(level);
    this.#level = level;
  }

  async rootsChanged(): Promise<void> {
    await this.#connection?.rootsChanged();
  }

  onStatus(listener: (status: ServerStatus) => void): () => void {
    return this.#state.listen(listener);
  }

  stop(grace = GRACE): Promise<void> {
    this.#stopping ??= this.#stop();
    this.#pending.limitWait(grace);
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    this.#cancel();
    this.#state.set("stopped");
    this.#wake();
    await this.#pending.ended();
    this.#quit.abort(stopping(this.settings.name));
    await this.#starting?.catch(() => {});
    const open = new Set(this.#pending.connections);
    if (this.#connection) open.add(this.#connection);
    this.#connection = undefined;
    this.#unlisten?.();
    this.#catalogue.close();
    await Promise.all([this.#closing, ...[...open].map((connection) => connection.close())]);
  }

  async #request<T>(
    method: string,
    params: object,
    options: UpstreamRequestOptions | undefined,
    send: (connection: ServerConnection) => Promise<T>,
  ): Promise<T> {
    this.#subscriptions.requested(method, params);
    for (let tries = 1; ; tries++) {
      if (this.#state.isStopped) throw stopping(this.settings.name);
      const connection = this.#connection ?? (await abortable(this.#ready(), options?.signal));
      this.#pending.begin(connection);
      try {
        const result = await send(connection);
        this.#subscriptions.answered(method, params);
        return result;
      } catch (error) {
        const again = tries === 1 && mayRepeat(error, method) && !options?.signal?.aborted;
        this.#judge(endOf(error), connection, again);
        if (!again || this.#state.isStopped) {
          throw explainFailure(error, { method, params }, this.settings, this.#catalogue.lastTools);
        }
        // Nothing could be sent, so the connection is ending; wait until the reason is known.
        if (this.#connection === connection && isUnsent(endOf(error))) await connection.ended;
      } finally {
        this.#end(connection);
      }
    }
  }

  #end(connection: ServerConnection): void {
    this.#lastUse = this.#clock.now();
    this.#pending.end(connection);
    const isUnused = connection !== this.#connection && !this.#pending.has(connection);
    if (isUnused && !connection.isOver) void this.#close(connection);
  }

  /** Closes an unused connection. The next start waits for the end of its process. */
  #close(connection: ServerConnection): Promise<void> {
    const closed = connection.close().catch((error: unknown) => this.#options.onerror?.(error));
    if (connection.pid !== undefined) this.#closing = closed;
    return closed;
  }

  /**
   * Updates the state after a failed request. `again`: the request is repeated at once, in a new session if
   * necessary.
   */
  #judge(error: unknown, connection: ServerConnection, again: boolean): void {
    if (!(error instanceof GatewayError)) return;
    const { code, session } = error.data;
    if (code === "server-unauthorized") {
      if (this.#drop(connection)) this.#state.failed(error);
    } else if (session === "lost" && again) this.#drop(connection);
    else if (session === "lost" || connection.isOver) this.#lost(connection, error);
  }

  async #ready(): Promise<ServerConnection> {
    for (;;) {
      if (this.#connection) return this.#connection;
      if (this.#state.isStopped) throw stopping(this.settings.name);
      this.#state.checkUsable();
      if (!this.#state.isWaiting) return await this.#launch();
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** Starts the server, after the old connection has ended: both may need the same port or file. */
  #launch(old?: ServerConnection): Promise<ServerConnection> {
    return (this.#starting ??= this.#connect(old).finally(() => {
      this.#starting = undefined;
      this.#again = undefined;
    }));
  }

  async #connect(old: ServerConnection | undefined): Promise<ServerConnection> {
    for (let before = old; ; before = undefined) {
      const { signal } = (this.#again = new AbortController());
      this.#cancel();
      const ongarbage = this.#state.starting();
      let connection: ServerConnection;
      try {
        await Promise.all([this.#closing, before && this.#close(before)]);
        signal.throwIfAborted();
        const until = AbortSignal.any([this.#quit.signal, signal]);
        connection = await this.#options.connect(until, ongarbage, this.#tap);
      } catch (error) {
        // Callers that wait get the next connection.
        if (signal.aborted && !this.#state.isStopped) continue;
        this.#state.failed(error);
        // A server that is stopped during its start has not failed.
        throw this.#state.isStopped ? stopping(this.settings.name) : error;
      } finally {
        this.#wake();
      }
      if (!this.#state.isStopped && !signal.aborted) {
        this.#welcome(connection);
        return connection;
      }
      await connection.close();
      if (this.#state.isStopped) throw stopping(this.settings.name);
    }
  }

  #welcome(connection: ServerConnection): void {
    this.#connection = connection;
    const isFirst = this.#state.connected(connection);
    this.#lastUse = this.#clock.now();
    this.#unlisten = connection.upstream.listen((method, params) => this.#notices.notify(method, params));
    void connection.ended.then((reason) => this.#lost(connection, reason));
    connection.onstream = (event) => this.#interrupted(connection, event);
    connection.onmessage = (message) => {
      if (isServerNotice(message)) this.#serverNotices.notify(message.method, recordOf(message.params));
    };
    // The level belongs to a connection.
    if (this.#level)
      connection.setLogLevel(this.#level).catch((error: unknown) => this.#options.onerror?.(error));
    this.#state.ready();
    const { start, limits } = this.settings;
    this.#endUpkeep = keepUp({
      clock: this.#clock,
      check: connection.pid === undefined ? undefined : () => void this.#check(connection),
      idle: start === "eager" || limits.idle <= 0 ? undefined : limits.idle,
      lastUse: () => this.#lastUse,
      isBusy: () => this.#pending.size > 0,
      isNeeded: () => this.#subscriptions.size > 0,
      stop: () => {
        this.#drop(connection);
        this.#state.set("idle");
        void this.#close(connection);
      },
    });
    if (isFirst) return;
    // The server may be a different version now: invalidate everything cached from the previous one.
    const { tools, prompts } = this.upstream.capabilities;
    if (tools) this.#notices.notify("notifications/tools/list_changed", {});
    // Unconditional: some servers have UIs and do not declare resources.
    this.#notices.notify("notifications/resources/list_changed", {});
    if (prompts) this.#notices.notify("notifications/prompts/list_changed", {});
    this.#subscriptions.restore(connection);
  }

  /** Notifications of the server were lost, while its requests work. */
  #interrupted(connection: ServerConnection, event: "reopened" | "lost"): void {
    if (this.#connection !== connection) return;
    if (event === "lost") {
      const message = `${this.settings.name} has ended the session of its notifications`;
      // Without subscriptions the next request finds out.
      if (this.#subscriptions.size > 0) this.#lost(connection, new GatewayError("server-exited", message));
      return;
    }
    const { tools, resources, prompts } = this.upstream.capabilities;
    if (tools?.listChanged) this.#notices.notify("notifications/tools/list_changed", {});
    if (resources?.listChanged) this.#notices.notify("notifications/resources/list_changed", {});
    if (prompts?.listChanged) this.#notices.notify("notifications/prompts/list_changed", {});
    this.#subscriptions.missed();
  }

  async #check(connection: ServerConnection): Promise<void> {
    const { startTimeout } = this.settings.limits;
    if (await connection.ping(startTimeout)) return;
    if (this.#connection !== connection || this.#pending.size > 0) return;
    const reason = new GatewayError("server-failed", `${this.settings.name} no longer responds`);
    this.#lost(connection, reason);
  }

  /** Forgets a connection. Returns whether it was in use. */
  #drop(connection: ServerConnection): boolean {
    if (this.#connection !== connection) return false;
    this.#connection = undefined;
    this.#unlisten?.();
    this.#cancel();
    this.#state.dropped();
    return true;
  }

  #lost(connection: ServerConnection, reason: GatewayError): void {
    if (!this.#drop(connection)) return;
    // A server that only closed its output still runs. Calls that may still be answered keep the connection until they end.
    if (connection.isOver || !this.#pending.has(connection)) void this.#close(connection);
    this.#state.failed(reason, connection);
  }

  #retry(didRun: boolean): void {
    // A server that was running is restarted. A server that never came up is retried only if something
    // needs it.
    const isWanted = this.#waiting.length > 0 || this.#subscriptions.size > 0;
    const wanted = this.settings.start === "eager" || didRun || isWanted;
    this.#state.set("idle");
    // Failures appear in the status, and waiting callers get them from their own attempt.
    if (wanted) this.#launch().catch(() => {});
    this.#wake();
  }

  #wake(): void {
    for (const go of this.#waiting.splice(0)) go();
  }

  #cancel(): void {
    this.#endUpkeep?.();
    this.#state.pause();
    this.#subscriptions.leave();
  }
}

const stopping = (name: string): GatewayError => new GatewayError("stopping", `${name} is being stopped`);
