/**
 * The gateway: its parts, put together.
 *
 * @module
 */
import { mkdir } from "node:fs/promises";
import { Refusal, type UpstreamMethod } from "@vitrine/host";
import type { Implementation, JsonText, Params, ToolVisibility } from "@vitrine/protocol";
import type { Sandbox } from "@vitrine/sandbox";
import { type ServedSandbox, serveSandbox } from "@vitrine/sandbox/node";
import { asksOf, pageDesks, SAMPLING_METHOD } from "./asks/index.js";
import type { GatewaySettings } from "./config/config.js";
import type { ServerIdentity } from "./config/server-identity.js";
import { IN_MEMORY } from "./config/top-settings.js";
import { type ConversationLimits, Conversations } from "./conversation/index.js";
import { serverTools } from "./conversation/server-tools.js";
import { GatewayError } from "./errors.js";
import {
  changeOf,
  guardMetrics,
  logStarts,
  noteFaults,
  recordChange,
  recordPolicy,
} from "./gateway-notes.js";
import { CallRecord, type RecordPlace } from "./guard/call-record.js";
import type { GatewayAsk } from "./guard/guard-options.js";
import { Idempotency } from "./guard/idempotency.js";
import { RefusalLog } from "./guard/refusal-log.js";
import type { ApiRequestOptions, Caller, GatewayApi } from "./http/api.js";
import { Authentication, type LinkOptions, LOCAL_USER } from "./http/auth.js";
import { answerView, type HostOptions } from "./http/host-door.js";
import { KeptBrowsers } from "./http/kept-browsers.js";
import { type Listener, listen } from "./http/listener.js";
import { createLog, type Log } from "./http/logging.js";
import { Metrics } from "./http/metrics.js";
import { type GatewayMetrics, type GatewayReadings, gatewayMetrics } from "./http/metrics-gateway.js";
import type { StaticOptions } from "./http/static.js";
import type { Launch } from "./isolation/isolation.js";
import { launch } from "./isolation/launch.js";
import { Models } from "./model/models.js";
import { frameSource, sandboxSecret } from "./sandbox-place.js";
import { ServerNames } from "./server-names.js";
import { GuardedServers } from "./servers/guarded-servers.js";
import { OAuthSessions } from "./servers/oauth/sessions.js";
import { ServerPool } from "./servers/pool.js";
import { safeFetch } from "./servers/safe-fetch.js";
import { openSecrets, type SecretStore } from "./servers/secrets/secrets.js";
import type { ServerStatus } from "./servers/server.js";
import { AppCalls } from "./sessions/app-calls.js";
import { AppOrigins } from "./sessions/app-origins.js";
import { HttpCarriers } from "./sessions/carriers/http.js";
import { WebSocketCarriers } from "./sessions/carriers/websocket.js";
import { KnownViews } from "./sessions/known-views.js";
import { OpenPages } from "./sessions/open-pages.js";
import { PageSession } from "./sessions/page-session.js";
import { prepareView } from "./sessions/prepare-view.js";
import {
  type AboutSession,
  type BrowserSession,
  type SessionHandler,
  SessionRegistry,
} from "./sessions/registry.js";
import { restoreView } from "./sessions/restore-view.js";
import { showDocument } from "./sessions/show-document.js";
import { messageOf } from "./store/engine.js";
import { openStore, type StoreOptions } from "./store/open.js";
import { type Ownership, takeFolder } from "./store/sqlite-owner.js";
import type { ServerKey, Store } from "./store/store.js";

/** What else a gateway may be given. */
export interface GatewayOptions {
  /** Where it logs; to stderr by default. */
  log?: Log | undefined;
  /** A folder with the page that people open, and what its policy allows. */
  static?: Omit<StaticOptions, "frames"> | undefined;
  /**
   * What the host endpoint does for the views of a user's program, beside what their server does; nothing by default.
   * Called for each message. What a handler does passes the guard first, with what the policy says.
   *
   * @example
   * ```ts source="./gateway.examples.ts#host"
   * const gateway = await startGateway(settings, {
   *   host: ({ user }, server) => ({
   *     // What a view asks for by `ui/message` goes to the chat of the user whose program shows it.
   *     handlers: { message: ({ content }) => void chats.get(user)?.push(server, JSON.stringify(content)) },
   *     initialize: () => ({ hostContext: { theme: "dark" } }),
   *   }),
   * });
   * ```
   */
  host?: ((caller: Caller, server: string) => HostOptions) | undefined;
  /** Hears how servers are, with the end of what they wrote to stderr: for a person, and for no log. */
  onstatus?: ((status: ServerStatus) => void) | undefined;
  /** Hears of a server whose lists are not what they were. */
  onchange?: ((server: string) => void) | undefined;
  /** Hears what a program writes to stderr, as it does: for a person, and for no log. */
  onstderr?: ((server: string, chunk: Buffer) => void) | undefined;
  /**
   * Lets programs drive the page by its host test interface (docs/host-test.md): they read what the model is told, and answer
   * questions in the person's place. For tests alone; no by default, and no settings file can say so.
   */
  testMode?: boolean | undefined;
  /** What the database is opened with. */
  store?: Pick<StoreOptions, "acceptBrokenChain" | "noted"> | undefined;
}

/** Starts programs, and has somebody hear what they say to people. */
const listening =
  (onstderr: GatewayOptions["onstderr"]): Launch =>
  async (spec) => {
    const launched = await launch(spec);
    if (onstderr) launched.stderr.on("data", (chunk: Buffer) => onstderr(spec.name, chunk));
    return launched;
  };

const conversationLimits = ({ model }: GatewaySettings): Partial<ConversationLimits> => {
  const { time, ...limits } = model.limits;
  return { ...limits, seconds: time / 1000 };
};

/** What a gateway has open from its start on. */
interface GatewayParts {
  readonly store: Store;
  readonly secrets: SecretStore;
  readonly browsers: KeptBrowsers;
  readonly models: Models;
  /** The lock on the data folder. */
  readonly folder: Ownership | undefined;
  readonly log: Log;
}

/** Milliseconds to wait for another gateway to leave the data folder: it may be stopping. */
const FOLDER_TIMEOUT = 2000;

const TEST_MODE =
  "test mode: whatever runs in the page can answer questions in your place; use it for tests, with servers that you trust";

/** Who we are to servers and views. */
const INFO: Implementation = { name: "vitrine-gateway", version: "0.1.0" };
/** Of what an authorization server answers: bytes and milliseconds. */
const OAUTH_LIMITS = { message: 1_000_000, timeout: 30_000 };
/** Milliseconds between two looks at what may be removed. */
const HOUR = 3_600_000;
const DAY = 86_400_000;

/**
 * A gateway that runs. Made by {@link startGateway}.
 *
 * @example
 * ```ts source="./gateway.examples.ts#update"
 * const watch = await watchSettings(file, async (settings) => void (await starting).update(settings), {
 *   onerror: (error) => log(error.message),
 * });
 * // A change that comes while the gateway starts is applied when it has.
 * const starting = startGateway(watch.current);
 * const gateway = await starting;
 * ```
 */
export class Gateway implements GatewayApi {
  readonly metrics = new Metrics();
  readonly #options: GatewayOptions;
  readonly #log: Log;
  readonly #counts: GatewayMetrics;
  readonly #store: Store;
  readonly #folder: Ownership | undefined;
  readonly #auth: Authentication;
  readonly #browsers: KeptBrowsers;
  readonly #pool: ServerPool;
  readonly #servers: GuardedServers;
  readonly #oauth: OAuthSessions;
  readonly #views = new KnownViews();
  readonly #pages = new OpenPages();
  /** What people say to a model, and it to them. */
  readonly conversations: Conversations;
  readonly models: Models;
  readonly #appCalls: AppCalls;
  readonly #desks: ReturnType<typeof pageDesks>;
  readonly #registry: SessionRegistry;
  readonly #sockets: WebSocketCarriers;
  readonly #streams: HttpCarriers;
  readonly #retention: NodeJS.Timeout;
  /** What changed in catalogues; of a server that changes all the time, a few rows. */
  readonly #changes: RefusalLog;
  readonly #names: ServerNames;
  #settings: GatewaySettings;
  #listener: Listener | undefined;
  #sandbox: ServedSandbox | undefined;
  #closing: Promise<void> | undefined;

  private constructor(
    settings: GatewaySettings,
    options: GatewayOptions,
    { store, secrets, browsers, models, folder, log }: GatewayParts,
  ) {
    this.#settings = settings;
    this.#options = options;
    this.#log = log;
    this.#store = store;
    this.#folder = folder;
    this.#counts = gatewayMetrics(this.metrics, this.#readings());
    this.#browsers = browsers;
    this.#auth = new Authentication({
      users: settings.listen.users,
      browsers: browsers.browsers,
      onbrowsers: (signedIn) => browsers.save(signedIn),
    });
    const onerror = (error: unknown): void => {
      // What was on its way when it was told to stop did not fail.
      if (!(error instanceof GatewayError && error.data.code === "stopping"))
        log.error({ err: error }, "something failed");
    };
    this.#names = new ServerNames({
      known: store.servers,
      audit: store.audit,
      log,
      pages: () => this.#pages.of(),
    });
    this.#changes = new RefusalLog({ write: (entry) => recordChange(entry, log, store.audit), onerror });
    this.#oauth = new OAuthSessions({
      secrets,
      // Where there is one user only, nobody else can have begun a sign-in.
      needsUser: () => this.#auth.token === undefined,
      redirectUrl: () => `${this.origin}/oauth/callback`,
      fetch: ({ url, headers, privateNetwork }) =>
        safeFetch({ url, headers, privateNetwork, ...OAUTH_LIMITS }).fetch,
    });
    this.#desks = pageDesks({
      model: () => models.current,
      page: (user, view) => (view ? this.#views.of(view, user)?.page : undefined) ?? this.#pages.newest(user),
      settings: () => this.#settings,
      ...{ audit: store.audit, metrics: guardMetrics(this.#counts), onerror },
      oncompleted: ({ user, server }, { elicitationId }) =>
        this.#pages.tell(user, "gateway/elicited", { server, elicitationId }),
    });
    this.#pool = new ServerPool({
      launch: listening(options.onstderr),
      asks: (user, { name, identity }) => {
        // What all users share has nobody of its own who could be asked, unless there is only one.
        const whom = user ?? (settings.listen.users.length > 0 ? undefined : LOCAL_USER);
        return whom === undefined ? undefined : asksOf({ user: whom, server: name, identity }, this.#desks);
      },
      info: INFO,
      users: settings.listen.users.length > 0 ? settings.listen.users.map(({ name }) => name) : [LOCAL_USER],
      signIn: (user, { name, transport }) =>
        transport.type === "stdio" ? undefined : this.#oauth.for(user, name, transport),
      onerror,
    });
    this.#servers = new GuardedServers({
      pool: this.#pool,
      settings: this.#live(),
      store,
      idempotency: new Idempotency({ audit: store.audit, results: store.results }),
      metrics: guardMetrics(this.#counts),
      onerror,
      noticeOf: (server) => this.#names.noticeOf(server),
      guardOf: (user, server) => ({
        views: (view) => this.#views.find(view, user, server),
        ask: this.#askOf(user, server),
      }),
    });
    this.models = models;
    models.onchange((state) => this.#pages.tell(undefined, "model/changed", state));
    const { audit } = store;
    const refusals = new RefusalLog({ write: (entry) => audit.begin(entry), onerror });
    this.#appCalls = new AppCalls({
      views: this.#views,
      place: ({ server, identity }) => this.#recordPlace(server, identity, refusals, onerror),
      policy: (user, server) => ({
        server: this.#servers.get(user, server).server.settings,
        settings: this.#live(),
      }),
    });
    this.conversations = new Conversations({
      ...{ store: store.conversations, tools: serverTools(this.#servers), apps: this.#appCalls, onerror },
      models: {
        current: () => models.current,
        get help() {
          return models.state().help;
        },
      },
      limits: conversationLimits(settings),
      onlisted: (user) => this.#pages.tell(user, "conversation/listed", {}),
    });
    this.#registry = new SessionRegistry({
      ...settings.session,
      onsession: (session, about) => this.#openPage(session, about),
      onerror,
    });
    this.#sockets = new WebSocketCarriers(this.#registry);
    this.#streams = new HttpCarriers(this.#registry);
    this.#pool.onCreate((server, user) => {
      let ready = 0;
      server.onStatus((status) => {
        this.#pages.tell(user, "gateway/status", this.#servers.summary(server));
        if (status.state !== "ready" || status.starts === ready) return;
        // One that was started again may be another one.
        if (ready > 0) this.#pages.tell(user, "gateway/changed", { server: status.name });
        ready = status.starts;
      });
      logStarts(server, user, log);
      noteFaults(server, user, { log, serverFaults: this.#counts.serverFaults });
      if (options.onstatus) server.onStatus(options.onstatus);
      server.onChange((changes) => {
        const { name } = server.settings;
        this.#pages.tell(user, "gateway/changed", { server: name });
        options.onchange?.(name);
        const owner = user ?? (settings.listen.users.length > 0 ? "" : LOCAL_USER);
        for (const change of changes)
          void this.#changes.note(`${name} ${owner}`, changeOf(server.settings, owner, change));
      });
    });
    this.#retention = setInterval(() => this.#prune(), HOUR).unref();
  }

  /** Opens the store, the sandbox and the listener, and starts the servers that are to be there at once. */
  static async start(settings: GatewaySettings, options: GatewayOptions = {}): Promise<Gateway> {
    const log = options.log ?? createLog();
    const gateway = await Gateway.#make(settings, options, log);
    try {
      await gateway.#open();
      return gateway;
    } catch (error) {
      await gateway.close(0);
      throw error;
    }
  }

  /** Opens all that is on disk. If one part cannot be opened, those before it are closed: nothing stays locked. */
  static async #make(settings: GatewaySettings, options: GatewayOptions, log: Log): Promise<Gateway> {
    const { dataFolder } = settings;
    const opened: (() => unknown)[] = [];
    let gateway: Gateway | undefined;
    try {
      await mkdir(dataFolder, { recursive: true, mode: 0o700 }).catch((cause: unknown) => {
        const message = `cannot use the data folder ${dataFolder}: ${messageOf(cause)}. Choose another one (dataFolder, --data)`;
        throw new GatewayError("config-invalid", message, { cause });
      });
      // One whose database is in memory runs beside another on purpose, and leaves nothing behind.
      const folder =
        settings.database === IN_MEMORY ? undefined : await takeFolder(dataFolder, FOLDER_TIMEOUT);
      opened.push(() => folder?.release());
      const secrets = await openSecrets({ folder: dataFolder });
      const browsers = await KeptBrowsers.open(dataFolder, (error) =>
        log.error({ err: error }, "who is signed in could not be kept"),
      );
      opened.push(() => browsers.close());
      const store = await openStore(settings.database, {
        folder: dataFolder,
        ...options.store,
        oncommit: (seconds) => {
          if (gateway) gateway.#committed(seconds);
        },
        onalarm: (alarm) => {
          log[alarm.active ? "error" : "info"]({ err: alarm.cause }, `audit log: ${alarm.message}`);
          if (gateway) gateway.#alarm(alarm);
        },
      });
      opened.push(() => store.close());
      const models = await Models.open({
        settings: settings.model,
        folder: dataFolder,
        onerror: (error) => log.error({ err: error }, "something failed"),
      });
      gateway = new Gateway(settings, options, { store, secrets, browsers, models, folder, log });
      return gateway;
    } catch (error) {
      for (const close of opened.reverse())
        await (async () => close())().catch((cause: unknown) => log.error({ err: cause }, "closing failed"));
      throw error;
    }
  }

  async #open(): Promise<void> {
    const { listen: at, sandbox, dataFolder } = this.#settings;
    const { static: files, testMode } = this.#options;
    if (testMode) this.#log.warn(TEST_MODE);
    this.#sandbox = await serveSandbox({
      secret: await sandboxSecret(dataFolder),
      port: sandbox.port,
      origin: sandbox.origin,
      publicSuffix: sandbox.publicSuffix,
      console: sandbox.console,
      onerror: (error) => this.#log.error({ err: error }, "the sandbox failed"),
      // Each must know the other: the page's policy names the frames, and the frames' policies name the page.
      hosts: async (port) => {
        this.#listener = await listen({
          ...{ host: at.host, port: at.port, origin: at.origin, allowRemote: at.allowRemote },
          api: this,
          auth: this.#auth,
          carriers: {
            upgrade: (request, socket, head, caller) => this.#sockets.upgrade(request, socket, head, caller),
            frames: (asked, caller) => this.#streams.post(asked, caller),
            events: (asked, outgoing, caller) => this.#streams.stream(asked, outgoing, caller),
          },
          static: files && { ...files, frames: [frameSource(sandbox.origin, port)] },
          metrics: this.metrics,
          counts: this.#counts,
          log: this.#log,
        });
        // Browsers ignore IPv6 addresses in a policy: a page there could show no app anyway.
        return this.#listener.origins.filter((origin) => !origin.includes("["));
      },
    });
    // Nothing is awaited between the listener and this: pages that come back at once find their servers.
    const taken = this.#names.take(this.#settings.servers);
    this.#pool.update(this.#settings.servers);
    await taken;
    // Nobody waits for it: what goes wrong is in the list of models.
    void this.models.refresh();
    this.#prune();
    this.#forgetResults();
  }

  /** Where browsers find it. */
  get origin(): string {
    return this.#listener?.origin ?? "";
  }

  /** The token for programs on this machine; undefined where users have their own. Never log it. */
  get token(): string | undefined {
    return this.#auth.token;
  }

  get sandboxPort(): number {
    return this.#sandbox?.port ?? 0;
  }

  /** A link that signs a browser in, once. Show it to the person; never log it. */
  loginUrl(user?: string, options?: LinkOptions): string {
    if (!this.#listener) throw new GatewayError("stopping", "the gateway does not listen");
    return this.#listener.loginUrl(user, options);
  }

  /**
   * Takes other settings: servers come, change and go, policies and users change. What belongs to the listener, the
   * sandbox or the database is taken with the next start; returns the names of such settings that differ.
   */
  update(settings: GatewaySettings): string[] {
    const before = this.#settings;
    const later = (["listen", "sandbox", "database", "dataFolder", "session"] as const).filter(
      (key) =>
        JSON.stringify({ ...Object(before[key]), users: 0 }) !==
        JSON.stringify({ ...Object(settings[key]), users: 0 }),
    );
    if (JSON.stringify(before.listen.users) !== JSON.stringify(settings.listen.users)) {
      this.#auth.setUsers(settings.listen.users);
      this.#pool.setUsers(settings.listen.users.map(({ name }) => name));
      // Connections that were opened with a token that is no longer one end with it.
      for (const { name, tokenHash } of before.listen.users) {
        const isKept = settings.listen.users.some(
          (user) => user.name === name && user.tokenHash === tokenHash,
        );
        if (!isKept) this.#registry.endUser(name);
      }
    }
    this.#settings = settings;
    this.#forgetResults();
    this.models.update(settings.model);
    this.conversations.setLimits(conversationLimits(settings));
    void this.models.refresh();
    // What depends on it waits until it is on disk: see `KnownServers.settled`.
    this.#names
      .take(settings.servers)
      .catch((error: unknown) =>
        this.#log.error({ err: error }, "the identities of servers could not be stored"),
      );
    const { added, changed, removed } = this.#pool.update(settings.servers);
    for (const page of this.#pages.of()) {
      for (const name of [...added, ...changed]) page.moved(name);
      for (const name of removed) page.removed(name);
      for (const name of [...added, ...changed, ...removed]) page.notify("gateway/changed", { server: name });
    }
    this.#log.info({ added, changed, removed, later }, "settings taken");
    return later;
  }

  /**
   * Ends a server and starts it again, for every user who has started it: its files changed, say. Resolves when they are
   * up again; what goes wrong is in their statuses. Views stay, and pages are told.
   *
   * @throws {GatewayError} `server-unknown`
   */
  restart(name: string): Promise<void> {
    return this.#pool.restart(name);
  }

  /** Ends everything: calls under way get `grace` milliseconds, 5,000 by default. May be called again. */
  close(grace = 5000): Promise<void> {
    return (this.#closing ??= this.#close(grace));
  }

  async #close(grace: number): Promise<void> {
    clearInterval(this.#retention);
    // Calls under way end first, then pages are told why, and only then the connections go.
    this.conversations.windDown();
    await this.#pool.close(grace);
    await this.conversations.close();
    await Promise.all([this.#desks.sampling.close(), this.#desks.elicitation.close()]);
    this.#registry.close();
    this.#sockets.close();
    this.#streams.close();
    await this.#listener?.close(grace);
    await this.#servers.close();
    await this.#sandbox?.close();
    await this.#browsers.close();
    await this.#changes.flush();
    await this.#store.close();
    this.#folder?.release();
  }

  // What pages do.

  #openPage(session: BrowserSession, { user, id, mayBeOld }: AboutSession): SessionHandler {
    const { audit } = this.#store;
    const onerror = (error: unknown): void =>
      this.#log.error({ err: error, user }, "a page's request failed");
    const refusals = new RefusalLog({ write: (entry) => audit.begin(entry), onerror });
    const page: PageSession = new PageSession({
      user,
      wire: session,
      mayBeOld,
      testMode: this.#options.testMode,
      conversations: this.conversations,
      known: this.#store.servers,
      sampling: this.#desks.sampling,
      models: {
        state: () => {
          void this.models.refresh();
          return this.models.state();
        },
        choose: (model) => this.models.choose(model),
      },
      summaries: () => this.#names.shown(this.#servers.summaries(user), page),
      server: (name) => this.#servers.get(user, name),
      pass: (call, effect) => this.#servers.pass(call, effect),
      refuse: (call, error) => this.#servers.refuse(call, error),
      catalogue: (name, who) => this.#servers.catalogue(user, name, who),
      start: (name) => this.#servers.start(user, name),
      restart: (name) => this.#servers.restart(user, name),
      know: (view, { name, identity }, wanted) =>
        this.#views.add(view, { user, server: name, identity, session: id, page, ...wanted }),
      forget: (view) => {
        this.#views.remove(view);
        this.#appCalls.closed(view);
      },
      prepare: (view, at, wanted, signal) =>
        prepareView(this.#origins(), view, at, wanted, signal, (uri) => this.#views.found(view, uri)).then(
          (opened) => {
            // To open a view has no effect outside of the page: it is not refused when the record cannot be written.
            recordPolicy({ user, identity: at.server.settings.identity }, opened, this.#log, audit).catch(
              onerror,
            );
            return opened;
          },
        ),
      document: async (view, document) => showDocument(this.#place(), view, document),
      restore: async (opened, signal) =>
        restoreView(
          this.#origins(),
          (name) => this.#servers.get(user, name),
          opened,
          signal,
          (uri) => this.#views.found(opened.view, uri),
        ),
      closeDocument: (place) => void this.#sandbox?.sandbox.forget(place).catch(onerror),
      refused: (call, error, identity) =>
        new CallRecord(call, this.#recordPlace(call.server, identity, refusals, onerror)).refused(error),
      onerror,
    });
    this.#pages.add(user, page);
    return {
      onmessage: (channel, text) => page.receive(channel, text),
      onfresh: () => page.renewed(),
      ondrain: () => page.resume(),
      onend: () => {
        page.end();
        this.#pages.remove(user, page);
        this.#servers.endSession(user, id);
        void refusals.flush();
      },
    };
  }

  /** Where is recorded what passes no guard. */
  #recordPlace(
    server: string,
    identity: ServerIdentity | undefined,
    refusals: RefusalLog,
    onerror: (error: unknown) => void,
  ): RecordPlace {
    return {
      ...{ server, identity, audit: this.#store.audit, settings: this.#live(), refusals, onerror },
      ...{ metrics: guardMetrics(this.#counts), clock: () => performance.now() },
    };
  }

  #origins(): AppOrigins {
    return new AppOrigins(this.#place(), this.#store.servers);
  }

  #place(): Sandbox {
    if (!this.#sandbox) throw new GatewayError("stopping", "the gateway is not ready");
    return this.#sandbox.sandbox;
  }

  /** Asks at the page that shows the view; for a program over HTTP, at the user's newest page. */
  #askOf(user: string, key: ServerKey): GatewayAsk {
    const { name: server, identity } = key;
    return (question, remember, signal) => {
      const { view, method, params } = question;
      const owner = this.#views.find(view, user, key);
      if (owner && method === SAMPLING_METHOD)
        return this.#desks.sampling.askFor(
          { user, server, identity, view, params, app: owner.page.speaker(view) },
          signal,
        );
      const page = owner?.page ?? this.#pages.newest(user);
      if (page) return page.ask(question, remember, signal);
      throw new Refusal(
        "denied",
        "nobody can be asked: open the gateway in a browser, or allow it in a policy",
      );
    };
  }

  // What routes do.

  servers = (caller: Caller) => this.#servers.summaries(caller.user);
  catalogue = (caller: Caller, server: string, who?: ToolVisibility) =>
    this.#servers.catalogue(caller.user, server, who);
  start = (caller: Caller, server: string) => this.#servers.start(caller.user, server);

  async request(
    { user }: Caller,
    name: string,
    method: UpstreamMethod,
    params: Record<string, unknown>,
    { key, signal }: ApiRequestOptions,
  ): Promise<object | JsonText> {
    const call = { actor: "http" as const, user, view: "", server: name, method, params, key, signal };
    const result = await this.#servers.pass(call, ({ server }, passed) =>
      server.upstream.request(method, passed.params as Params<UpstreamMethod>, { signal }),
    );
    return (result ?? {}) as object | JsonText;
  }

  async host(caller: Caller, name: string, request: Request): Promise<Response> {
    const { user } = caller;
    return answerView(request, {
      ...{ user, info: INFO, at: this.#servers.get(user, name), host: this.#options.host?.(caller, name) },
      onerror: (error) => this.#log.error({ err: error, user }, "the host endpoint failed"),
    });
  }

  authorized = (query: URLSearchParams, caller?: Caller) => this.#oauth.authorized(query, caller?.user);

  /** Everybody sees their own rows. */
  readonly audit: GatewayApi["audit"] = {
    query: ({ user }, query) => this.#store.audit.query({ ...query, user }),
    rows: ({ user }, query) => this.#store.audit.rows({ ...query, user }),
    verify: () => this.#store.audit.verify(),
  };

  readonly consents: GatewayApi["consents"] = {
    list: ({ user }) => this.#store.consents.list(user),
    revoke: async ({ user }, key) => {
      const count = await this.#store.consents.revoke(user, key);
      this.#servers.consentsRevoked(user);
      return count;
    },
  };

  ready(): { ok: boolean; problems: string[] } {
    const problems = this.#store.audit.healthy
      ? []
      : ["the audit log cannot be written: side effects are refused"];
    return { ok: problems.length === 0, problems };
  }

  // What is counted, and what must not be forgotten.

  /** The settings as they are now: a guard asks for them with each call. */
  #live(): Pick<GatewaySettings, "policy" | "strict" | "audit"> {
    const now = (): GatewaySettings => this.#settings;
    return {
      get policy() {
        return now().policy;
      },
      get strict() {
        return now().strict;
      },
      get audit() {
        return now().audit;
      },
    };
  }

  /** What is read when somebody looks. */
  #readings(): GatewayReadings {
    return {
      sessions: () => this.#registry.size,
      carriers: () => [
        [{ kind: "websocket" }, this.#sockets.size],
        [{ kind: "http" }, this.#streams.size],
      ],
      queueDepth: () => [
        [{ queue: "pages" }, this.#registry.queued],
        [{ queue: "calls" }, this.#servers.waiting],
        [{ queue: "audit" }, this.#store.audit.waiting],
      ],
      processes: () => {
        const running = new Map<string, number>();
        for (const { status } of this.#pool.all())
          if (status.driver && status.pid) running.set(status.driver, (running.get(status.driver) ?? 0) + 1);
        return [...running].map(([driver, count]) => [{ driver }, count] as const);
      },
    };
  }

  #committed(seconds: number): void {
    this.#counts.auditCommits.add();
    this.#counts.auditSeconds.observe({}, seconds);
  }

  #alarm({ active, message }: { active: boolean; message: string }): void {
    this.#counts.auditAlarm.set({}, active ? 1 : 0);
    this.#pages.tell(undefined, "gateway/alarm", { active, message });
  }

  /** With `payloads: "none"` no result stays in the database, not even one that was kept under other settings. */
  #forgetResults(): void {
    if (this.#settings.audit.payloads !== "none") return;
    this.#store.results
      .clear()
      .catch((error: unknown) => this.#log.error({ err: error }, "kept results could not be removed"));
  }

  #prune(): void {
    const { retentionDays } = this.#settings.audit;
    if (retentionDays === undefined) return;
    this.#store.audit
      .prune(Date.now() - retentionDays * DAY)
      .then((removed) => removed > 0 && this.#log.info({ removed }, "old rows of the audit log were removed"))
      .catch((error: unknown) => this.#log.error({ err: error }, "the audit log could not be pruned"));
  }
}

/**
 * Starts a gateway.
 *
 * @throws {GatewayError} `config-invalid` when it cannot be opened as the settings want it
 * @example
 * ```ts source="./gateway.examples.ts#startGateway"
 * const settings = await readSettingsFile("mcp.json");
 * const gateway = await startGateway(settings, { static: { folder: "public" } });
 * // Opened in a browser, it signs that browser in, once. With users in the settings, say whom: loginUrl("ana").
 * show(gateway.loginUrl());
 * process.once("SIGTERM", () => gateway.close());
 * ```
 */
export const startGateway = (settings: GatewaySettings, options?: GatewayOptions): Promise<Gateway> =>
  Gateway.start(settings, options);
