/**
 * Keeps a server running: starts it on demand, restarts it after a failure, and stops it when it is unused.
 *
 * @module
 */
import type { Upstream, UpstreamMethod, UpstreamNotification, UpstreamRequestOptions } from "@vitrine/guard";
import {
  isRecord,
  type JsonText,
  Listeners,
  type Params,
  type Result,
  recordOf,
  type UiDocument,
} from "@vitrine/protocol";
import { GatewayError } from "@vitrine/wire";
import { CatalogueCache } from "./catalogue.js";
import type { ConnectOptions, ServerConnection } from "./connection.js";
import { endOf, explainFailure, isUnsent, mayRepeat } from "./cut-off.js";
import { isFault } from "./exit-cause.js";
import { KeptSubscriptions } from "./kept-subscriptions.js";
import { LastCrash } from "./last-crash.js";
import type { Catalogue, CatalogueChange, Server, ServerState, ServerStatus } from "./server.js";
import type { ServerSettings } from "./settings.js";
import { abortable } from "./support/abortable.js";
import { backoff, type Clock, systemClock } from "./support/clock.js";
import { keepUp } from "./upkeep.js";

/** Options of {@link ManagedServer}. */
export interface ManagedServerOptions {
  settings: ServerSettings;
  /**
   * Creates a connection with a completed handshake; called for every start. The signal aborts a start that
   * is no longer needed.
   */
  connect: (signal: AbortSignal, ongarbage: ConnectOptions["ongarbage"]) => Promise<ServerConnection>;
  clock?: Clock | undefined;
  /** Called with errors that listeners throw. They affect neither the server nor other listeners. */
  onerror?: ((error: unknown) => void) | undefined;
}

/** Milliseconds that a call waits for a restart. If the restart is further away, the call fails at once. */
const MAX_WAIT = 5_000;
/** Milliseconds of running time after which the failure count restarts. */
const WELL = 30_000;
/** Milliseconds that pending calls get when the server is stopped. */
const GRACE = 5_000;
/** Errors for which retrying is useless: the operator or the user must act first. */
const HOPELESS = new Set(["isolation-unavailable", "config-invalid", "address-forbidden"]);

/**
 * A server that survives failures of its process or connection.
 *
 * A call that is pending when the server ends fails with `server-exited` and is never repeated here;
 * `data.indeterminate` says whether it may have run. Lists and documents are requested once more.
 */
export class ManagedServer implements Server {
  readonly settings: ServerSettings;
  readonly upstream: Upstream;
  readonly #options: ManagedServerOptions;
  readonly #clock: Clock;
  readonly #catalogue: CatalogueCache;
  readonly #notices: Listeners<[UpstreamNotification, Record<string, unknown>]>;
  readonly #statuses: Listeners<[ServerStatus]>;
  readonly #subscriptions: KeptSubscriptions;
  /** Calls that wait for the next start. */
  readonly #waiting: (() => void)[] = [];
  #state: ServerState = "idle";
  #connection: ServerConnection | undefined;
  #starting: Promise<ServerConnection> | undefined;
  #stopping: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #last: ServerConnection | undefined;
  #capabilities: Upstream["capabilities"] = {};
  /** Pending calls per connection: a replaced connection closes after the last of them. */
  readonly #calls = new Map<ServerConnection, number>();
  readonly #crash: LastCrash;
  #problem: ServerStatus["problem"];
  /** Counts the lines that were not messages since the last start; undefined while there are none. */
  #counted: Pick<ServerStatus, "garbage"> | undefined;
  #authorizeUrl: string | undefined;
  #retryAt: number | undefined;
  #starts = 0;
  #failures = 0;
  #readyAt = 0;
  #underWay = 0;
  #lastUse = 0;
  /** Ends the wait for pending calls; set while the server is being stopped. */
  #drained: (() => void) | undefined;
  /** Cancel the time limits of that wait. */
  readonly #graces: (() => void)[] = [];
  #endUpkeep: (() => void) | undefined;
  #endRetry: (() => void) | undefined;
  #unlisten: (() => void) | undefined;
  /** Aborts the start in progress in favour of a new one. */
  #again: AbortController | undefined;
  readonly #quit = new AbortController();

  constructor(options: ManagedServerOptions) {
    this.#options = options;
    this.settings = options.settings;
    this.#clock = options.clock ?? systemClock;
    this.#crash = new LastCrash(this.#clock, () => this.#notify());
    this.#notices = new Listeners(options.onerror);
    this.#statuses = new Listeners(options.onerror);
    this.#subscriptions = new KeptSubscriptions({
      clock: this.#clock,
      onmissed: (uri) => this.#notices.notify("notifications/resources/updated", { uri }),
      onerror: (error, connection) => {
        this.#judge(error, connection, false);
        options.onerror?.(error);
      },
    });
    const capabilities = (): Upstream["capabilities"] => this.#capabilities;
    this.upstream = {
      server: this.settings.name,
      get capabilities() {
        return capabilities();
      },
      request: (method, params, requestOptions) => this.#request(method, params, requestOptions),
      listen: (listener) => this.#notices.add(listener),
    };
    this.#catalogue = new CatalogueCache(this.upstream, {
      schemes: this.settings.schemes,
      onerror: options.onerror,
    });
  }

  get status(): ServerStatus {
    const running = this.#connection;
    return {
      name: this.settings.name,
      state: this.#state,
      capabilities: this.upstream.capabilities,
      starts: this.#starts,
      problem: this.#problem,
      crash: this.#crash.crash,
      retryAt: this.#retryAt,
      authorizeUrl: this.#authorizeUrl,
      info: this.#last?.info,
      protocolVersion: this.#last?.protocolVersion,
      driver: running?.driver,
      pid: running?.pid,
      garbage: this.#counted?.garbage,
    };
  }

  get #isStopped(): boolean {
    return this.#state === "stopped";
  }

  get underWay(): number {
    return this.#underWay;
  }

  async start(): Promise<void> {
    if (this.#isStopped) throw stopping(this.settings.name);
    if (!this.#connection) await this.#launch();
  }

  /**
   * Ends the server and its child processes, and starts it again, whatever its state. Throws the error if the
   * start fails. Pending calls fail as after an exit; new calls wait.
   */
  async restart(): Promise<void> {
    // A connection that has just been made is not in use yet.
    if (this.#connection && this.#starting) await this.#starting;
    if (this.#isStopped) throw stopping(this.settings.name);
    const running = this.#connection;
    if (running) this.#drop(running);
    this.#failures = 0;
    this.#crash.forget();
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

  onStatus(listener: (status: ServerStatus) => void): () => void {
    return this.#statuses.add(listener);
  }

  stop(grace = GRACE): Promise<void> {
    this.#stopping ??= this.#stop();
    if (this.#drained && Number.isFinite(grace)) {
      this.#graces.push(this.#clock.after(grace, this.#drained));
    }
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    this.#cancel();
    this.#set("stopped");
    this.#wake();
    if (this.#underWay > 0) {
      await new Promise<void>((resolve) => {
        this.#drained = resolve;
      });
      this.#drained = undefined;
      for (const cancel of this.#graces) cancel();
    }
    this.#quit.abort(stopping(this.settings.name));
    await this.#starting?.catch(() => {});
    const open = new Set(this.#calls.keys());
    if (this.#connection) open.add(this.#connection);
    this.#connection = undefined;
    this.#unlisten?.();
    this.#catalogue.close();
    await Promise.all([this.#closing, ...[...open].map((connection) => connection.close())]);
  }

  async #request<M extends UpstreamMethod>(
    method: M,
    params: Params<M>,
    options?: UpstreamRequestOptions,
  ): Promise<Result<M> | JsonText> {
    this.#subscriptions.requested(method, params);
    for (let tries = 1; ; tries++) {
      if (this.#isStopped) throw stopping(this.settings.name);
      const connection = this.#connection ?? (await abortable(this.#ready(), options?.signal));
      this.#begin(connection);
      try {
        const result = await connection.upstream.request(method, params, options);
        this.#subscriptions.answered(method, params);
        return result;
      } catch (error) {
        const again = tries === 1 && mayRepeat(error, method) && !options?.signal?.aborted;
        this.#judge(endOf(error), connection, again);
        if (!again || this.#isStopped) {
          throw explainFailure(error, { method, params }, this.settings, this.#catalogue.lastTools);
        }
        // Nothing could be sent, so the connection is ending; wait until the reason is known.
        if (this.#connection === connection && isUnsent(endOf(error))) await connection.ended;
      } finally {
        this.#end(connection);
      }
    }
  }

  #begin(connection: ServerConnection): void {
    this.#underWay++;
    this.#calls.set(connection, (this.#calls.get(connection) ?? 0) + 1);
  }

  #end(connection: ServerConnection): void {
    this.#lastUse = this.#clock.now();
    const left = (this.#calls.get(connection) ?? 1) - 1;
    if (left > 0) this.#calls.set(connection, left);
    else this.#calls.delete(connection);
    if (left === 0 && connection !== this.#connection && !connection.isOver) void this.#close(connection);
    if (--this.#underWay === 0) this.#drained?.();
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
      if (this.#drop(connection)) this.#failed(error);
    } else if (session === "lost" && again) this.#drop(connection);
    else if (session === "lost" || connection.isOver) this.#lost(connection, error);
  }

  async #ready(): Promise<ServerConnection> {
    for (;;) {
      if (this.#connection) return this.#connection;
      if (this.#isStopped) throw stopping(this.settings.name);
      if (this.#state === "unauthorized" || (this.#state === "waiting" && this.#remaining() > MAX_WAIT)) {
        throw this.#problemError();
      }
      if (this.#state !== "waiting") return await this.#launch();
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #remaining(): number {
    return (this.#retryAt ?? 0) - this.#clock.now();
  }

  #problemError(): GatewayError {
    const { name } = this.settings;
    const unauthorized = this.#state === "unauthorized";
    return new GatewayError(
      unauthorized ? "server-unauthorized" : "server-failed",
      this.#problem?.message ?? `${name} does not run`,
      { data: { authorizeUrl: this.#authorizeUrl, retryAt: this.#retryAt } },
    );
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
      const start = ++this.#starts;
      this.#counted = undefined;
      this.#set("starting");
      const ongarbage = (counted: Pick<ServerStatus, "garbage">): void => {
        if (this.#starts !== start) return;
        this.#counted = counted;
        this.#notify();
      };
      let connection: ServerConnection;
      try {
        await Promise.all([this.#closing, before && this.#close(before)]);
        signal.throwIfAborted();
        connection = await this.#options.connect(AbortSignal.any([this.#quit.signal, signal]), ongarbage);
      } catch (error) {
        // Callers that wait get the next connection.
        if (signal.aborted && !this.#isStopped) continue;
        this.#failed(error);
        // A server that is stopped during its start has not failed.
        throw this.#isStopped ? stopping(this.settings.name) : error;
      } finally {
        this.#wake();
      }
      if (!this.#isStopped && !signal.aborted) {
        this.#welcome(connection);
        return connection;
      }
      await connection.close();
      if (this.#isStopped) throw stopping(this.settings.name);
    }
  }

  #welcome(connection: ServerConnection): void {
    const isFirst = this.#last === undefined;
    this.#connection = connection;
    this.#last = connection;
    this.#capabilities = connection.upstream.capabilities;
    this.#problem = undefined;
    this.#readyAt = this.#lastUse = this.#clock.now();
    this.#unlisten = connection.upstream.listen((method, params) => this.#notices.notify(method, params));
    void connection.ended.then((reason) => this.#lost(connection, reason));
    connection.onstream = (event) => this.#interrupted(connection, event);
    this.#crash.run();
    this.#set("ready");
    const { start, limits } = this.settings;
    this.#endUpkeep = keepUp({
      clock: this.#clock,
      check: connection.pid === undefined ? undefined : () => void this.#check(connection),
      idle: start === "eager" || limits.idle <= 0 ? undefined : limits.idle,
      lastUse: () => this.#lastUse,
      isBusy: () => this.#underWay > 0,
      isNeeded: () => this.#subscriptions.size > 0,
      stop: () => {
        this.#drop(connection);
        this.#set("idle");
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
    if (this.#connection !== connection || this.#underWay > 0) return;
    const reason = new GatewayError("server-failed", `${this.settings.name} no longer responds`);
    this.#lost(connection, reason);
  }

  /** Forgets a connection. Returns whether it was in use. */
  #drop(connection: ServerConnection): boolean {
    if (this.#connection !== connection) return false;
    this.#connection = undefined;
    this.#unlisten?.();
    this.#cancel();
    if (this.#state === "ready") this.#state = "idle";
    return true;
  }

  #lost(connection: ServerConnection, reason: GatewayError): void {
    if (!this.#drop(connection)) return;
    if (this.#clock.now() - this.#readyAt >= WELL) this.#failures = 0;
    // A server that only closed its output still runs. Calls that may still be answered keep the connection until they end.
    if (connection.isOver || !this.#calls.has(connection)) void this.#close(connection);
    this.#failed(reason, connection);
  }

  #failed(error: unknown, connection?: ServerConnection): void {
    const { data, message } = recordOf(error);
    const { code, stderr, authorizeUrl, fault } = isRecord(data) ? data : {};
    const lastWords = connection?.stderr ?? stderr;
    const said = {
      message: String(message),
      ...(typeof lastWords === "string" && lastWords !== "" && { stderr: lastWords }),
    };
    this.#problem = {
      code: typeof code === "string" ? code : "server-failed",
      ...said,
      ...(isFault(fault) && { fault }),
    };
    this.#authorizeUrl = typeof authorizeUrl === "string" ? authorizeUrl : undefined;
    if (this.#isStopped) return;
    // For a remote connection that was cut, it is unknown which side caused it.
    if (connection?.pid !== undefined) this.#crash.keep({ at: this.#clock.now(), ...said });
    if (code === "server-unauthorized") this.#set("unauthorized");
    else if (HOPELESS.has(String(code))) this.#set("idle");
    else this.#retryLater(connection !== undefined);
  }

  #retryLater(didRun: boolean): void {
    this.#failures++;
    const delay = backoff(this.#failures, this.#clock.random);
    this.#retryAt = this.#clock.now() + delay;
    this.#endRetry = this.#clock.after(delay, () => {
      this.#retryAt = undefined;
      // A server that was running is restarted. A server that never came up is retried only if something
      // needs it.
      const isWanted = this.#waiting.length > 0 || this.#subscriptions.size > 0;
      const wanted = this.settings.start === "eager" || didRun || isWanted;
      this.#set("idle");
      // Failures appear in the status, and waiting callers get them from their own attempt.
      if (wanted) this.#launch().catch(() => {});
      this.#wake();
    });
    this.#set("waiting");
  }

  #wake(): void {
    for (const go of this.#waiting.splice(0)) go();
  }

  #cancel(): void {
    this.#endUpkeep?.();
    this.#endRetry?.();
    this.#subscriptions.leave();
    this.#crash.pause();
    this.#retryAt = undefined;
  }

  #set(state: ServerState): void {
    // `stopped` is final.
    if (!this.#isStopped) this.#state = state;
    if (state !== "unauthorized") this.#authorizeUrl = undefined;
    this.#notify();
  }

  #notify(): void {
    this.#statuses.notify(this.status);
  }
}

const stopping = (name: string): GatewayError => new GatewayError("stopping", `${name} is being stopped`);
