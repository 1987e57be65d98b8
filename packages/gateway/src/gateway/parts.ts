/**
 * The parts of a gateway, wired to each other.
 *
 * @module
 */
import { type ConversationLimits, Conversations } from "@vitrine/conversation";
import { Refusal } from "@vitrine/guard";
import type { Implementation, VitrineError } from "@vitrine/protocol";
import type { Sandbox } from "@vitrine/sandbox";
import type { ServedSandbox } from "@vitrine/sandbox/node";
import {
  isPrivateHost,
  type Launch,
  launch,
  OAuthSessions,
  type Server,
  type ServerAsks,
  type ServerIdentity,
  ServerPool,
  safeFetch,
} from "@vitrine/servers";
import { GatewayError, VITRINE_VERSION } from "@vitrine/wire";
import {
  type AskServices,
  asksOf,
  pageServices,
  UserCapabilities,
  UserRoots,
  withoutHidden,
} from "../asks/index.js";
import type { GatewaySettings } from "../config/config.js";
import { CallRecord } from "../guard/call-record.js";
import type { GatewayGuard } from "../guard/gateway-guard.js";
import type { GatewayAsk, GuardMetrics } from "../guard/guard-options.js";
import type { GuardedCall } from "../guard/guarded-call.js";
import { GuardedServers } from "../guard/guarded-servers.js";
import { Idempotency } from "../guard/idempotency.js";
import { RefusalLog } from "../guard/refusal-log.js";
import { Authentication, LOCAL_USER } from "../http/auth.js";
import { capacity } from "../http/capacity.js";
import type { HttpListener } from "../http/listener.js";
import type { Log } from "../http/logging.js";
import type { GatewayMetrics } from "../http/metrics-gateway.js";
import { ModelSetup } from "../models/model-setup.js";
import { AppCalls } from "../sessions/app-calls.js";
import { AppOrigins } from "../sessions/app-origins.js";
import { KnownViews } from "../sessions/known-views.js";
import type { OpenPages } from "../sessions/open-pages.js";
import type { ModelService } from "../sessions/page-models.js";
import { SessionRegistry } from "../sessions/registry.js";
import { serverTools } from "../sessions/server-tools.js";
import { HttpTransports } from "../sessions/transports/http.js";
import { type SessionOpener, WebSocketTransports } from "../sessions/transports/websocket.js";
import { UserTasks } from "../sessions/user-tasks.js";
import type { Administration } from "../setup/page-setup.js";
import { ServerLogs } from "../setup/server-logs.js";
import { ServerSetup } from "../setup/server-setup.js";
import type { ServerKey } from "../store/known-servers.js";
import type { NodeRef } from "../store/owned-users.js";
import type { Disk } from "./disk.js";
import { Drain } from "./drain.js";
import { handOverUsers } from "./node-duties.js";
import {
  callNote,
  changeOf,
  countStarts,
  guardMetrics,
  logStarts,
  noteFaults,
  recordChange,
} from "./notes.js";
import type { GatewayOptions } from "./options.js";
import { openPage } from "./page.js";
import { ServerNames } from "./server-names.js";

/** The gateway's name for servers and views. */
export const INFO: Implementation = { name: "vitrine-gateway", version: VITRINE_VERSION };
/** Limits for answers of authorization servers: bytes and milliseconds. */
const OAUTH_LIMITS = { message: 1_000_000, timeout: 30_000 };

/** The parts that exist before the others. */
export interface FirstParts {
  readonly settings: GatewaySettings;
  readonly options: GatewayOptions;
  readonly log: Log;
  readonly disk: Disk;
  readonly counts: GatewayMetrics;
  readonly pages: OpenPages;
}

/** All parts of one gateway. */
export class GatewayParts {
  /** The settings in force; {@link GatewayParts.live} follows them. */
  settings: GatewaySettings;
  readonly options: GatewayOptions;
  readonly log: Log;
  readonly disk: Disk;
  readonly counts: GatewayMetrics;
  readonly pages: OpenPages;
  readonly views = new KnownViews();
  readonly auth: Authentication;
  readonly names: ServerNames;
  readonly oauth: OAuthSessions;
  readonly services: ReturnType<typeof pageServices>;
  /** The tasks of users at shared servers. */
  readonly tasks = new UserTasks();
  /** The roots that servers are told of. */
  readonly capabilities = new UserCapabilities();
  readonly roots = new UserRoots((name) => this.settings.servers.get(name)?.roots);
  readonly pool: ServerPool;
  readonly servers: GuardedServers;
  readonly conversations: Conversations;
  readonly registry: SessionRegistry;
  readonly sockets: WebSocketTransports;
  readonly streams: HttpTransports;
  readonly drain: Drain;
  /** Refusals of calls that pass no guard. */
  readonly refusals: RefusalLog;
  /** Changes of catalogues. A server that changes all the time gets a few rows only. */
  readonly changes: RefusalLog;
  /** The settings file and the logs, for pages of administrators. */
  readonly administration: Administration;
  listener: HttpListener | undefined;
  /** Opens the sessions of page sockets: in this process, or also at other nodes. */
  sessions: SessionOpener;
  /** Connects to another node, or rejects if it cannot be reached. */
  connectNode: ((node: NodeRef) => Promise<void>) | undefined;
  sandbox: ServedSandbox | undefined;

  constructor({ settings, options, log, disk, counts, pages }: FirstParts) {
    const { store, secrets, browsers, models, shared } = disk;
    this.settings = settings;
    this.options = options;
    this.log = log;
    this.disk = disk;
    this.counts = counts;
    this.pages = pages;
    this.auth = new Authentication({
      users: settings.listen.users,
      browsers: browsers?.browsers,
      onbrowsers: browsers && ((signedIn) => browsers.save(signedIn)),
      shared: shared?.signIns,
      metricsHash: settings.metrics.tokenHash,
      onerror: this.onerror,
    });
    this.names = new ServerNames({ known: store.servers, audit: store.audit, log, pages: () => pages.of() });
    this.changes = new RefusalLog({
      write: (entry) => recordChange(entry, log, store.audit),
      onerror: this.onerror,
    });
    this.administration = this.#administration();
    this.oauth = new OAuthSessions({
      secrets,
      shared: shared?.tokens,
      // With a single user, nobody else can have started a sign-in.
      needsUser: () => this.auth.token === undefined,
      redirectUrl: () => `${this.listener?.origin ?? ""}/oauth/callback`,
      fetch: ({ url, headers, privateNetwork }) =>
        safeFetch({ url, headers, privateNetwork, ...OAUTH_LIMITS }).fetch,
      fetchIdentity: ({ enterprise, privateNetwork }) => {
        const url = enterprise?.tokenEndpoint ?? "";
        // The operator wrote this address.
        const isPrivate = URL.canParse(url) && isPrivateHost(new URL(url).hostname);
        return safeFetch({ url, privateNetwork: privateNetwork || isPrivate, ...OAUTH_LIMITS }).fetch;
      },
      onchange: (user, server) => pages.notify(user, "gateway/sign-in-changed", { server }),
      onerror: this.onerror,
    });
    this.services = pageServices({
      model: () => models.current,
      page: (user, view) => (view ? this.views.of(view, user)?.page : undefined) ?? pages.newest(user),
      onerror: this.onerror,
      oncompleted: ({ user, server }, { elicitationId }) =>
        pages.notify(user, "gateway/elicited", { server: server.name, elicitationId }),
    });
    this.pool = new ServerPool({
      launch: launchAndListen((name, chunk) => {
        this.administration.logs.write(name, chunk);
        options.onstderr?.(name, chunk);
      }),
      asks: (user, _settings, server) => {
        // A server that all users share has nobody to ask, unless there is one user only.
        const whom = user ?? this.#onlyUser();
        if (whom === undefined) return undefined;
        const guard = (): GatewayGuard => this.servers.guardOf(whom, server());
        return withoutHidden(this.asksOf(guard), () => this.capabilities.hidden(whom, server().settings));
      },
      info: INFO,
      limits: () => this.settings.limits,
      users: settings.listen.users.length > 0 ? settings.listen.users.map(({ name }) => name) : [LOCAL_USER],
      signIn: (user, { name, transport }) =>
        transport.type === "stdio" ? undefined : this.oauth.for(user, name, transport),
      onerror: this.onerror,
    });
    this.servers = new GuardedServers({
      pool: this.pool,
      settings: this.live(),
      store,
      idempotency: new Idempotency({ audit: store.audit, results: store.results }),
      metrics: this.#guardMetrics(),
      onerror: this.onerror,
      noticeOf: (server) => this.names.noticeOf(server),
      guardOf: (user, server) => ({
        views: (view) => this.views.find(view, user, server),
        ask: this.#askOf(user, server),
      }),
    });
    this.refusals = new RefusalLog({ write: (entry) => store.audit.begin(entry), onerror: this.onerror });
    this.pageModels = {
      state: () => {
        void models.refresh();
        return models.state();
      },
      choose: (model) => models.choose(model),
      setup: new ModelSetup({
        models,
        secrets,
        audit: store.audit,
        host: options.setup,
        detection: options.detection,
        mayAdminister: (user) => this.administration.mayAdminister(user),
      }),
    };
    models.onchange((state) => pages.notify(undefined, "model/changed", state));
    this.conversations = new Conversations({
      store: store.conversations,
      isShared: store.nodes !== undefined,
      tools: serverTools(this.servers),
      apps: new AppCalls({ views: this.views, servers: this.servers, refused: this.refused }),
      onerror: this.onerror,
      models: {
        current: (_user, id) => (id === undefined ? models.current : models.find(id)),
        get defaults() {
          return models.defaults;
        },
        get help() {
          return models.state().help;
        },
      },
      limits: conversationLimits(settings),
      onlisted: (user) => pages.notify(user, "conversation/listed", {}),
    });
    this.registry = new SessionRegistry({
      ...settings.session,
      refuses: (user) => this.drain.refuses(user),
      mayServe: () => store.nodes?.isLeased ?? true,
      onsession: (session, about) => openPage(this, session, about),
      onerror: this.onerror,
    });
    const { total } = settings.session;
    if (total !== undefined && total > capacity().sockets)
      log.warn(
        { total, sockets: capacity().sockets },
        "session.total is more than the connections that this process may open: raise ulimit -n, or LimitNOFILE= in its systemd service",
      );
    this.sessions = this.registry;
    this.sockets = new WebSocketTransports({ open: (...hello) => this.sessions.open(...hello) });
    this.streams = new HttpTransports(this.registry);
    this.drain = new Drain(this, (left) => handOverUsers(this, left));
    this.pool.onCreate((server, user) => this.#follow(server, user));
  }

  /** Shared by all pages. */
  readonly pass: GuardedServers["pass"] = (call, effect) => this.servers.pass(call, effect);
  readonly refuse: GuardedServers["refuse"] = (call, error) => this.servers.refuse(call, error);
  readonly pageModels: ModelService;

  /** Logs an error of a part. A request that is pending when the gateway stops did not fail. */
  readonly onerror = (error: unknown): void => {
    if (!(error instanceof GatewayError && error.data.code === "stopping"))
      this.log.error({ err: error }, "something failed");
  };

  /** The current settings: a guard reads them at each call. */
  live(): Pick<GatewaySettings, "policy" | "strict" | "audit" | "servers"> {
    const now = (): GatewaySettings => this.settings;
    return {
      get servers() {
        return now().servers;
      },
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

  /** Records the refusal of a call that passes no guard. */
  readonly refused = (
    call: GuardedCall,
    error: VitrineError,
    identity: ServerIdentity | undefined,
  ): Promise<void> => {
    const record = new CallRecord(call, {
      server: call.server,
      identity,
      audit: this.disk.store.audit,
      settings: this.live(),
      refusals: this.refusals,
      onerror: this.onerror,
      metrics: this.#guardMetrics(),
      clock: () => performance.now(),
    });
    return record.refused(error);
  };

  origins(): AppOrigins {
    return new AppOrigins(this.place(), this.disk.store.servers);
  }

  place(): Sandbox {
    if (!this.sandbox) throw new GatewayError("stopping", "the gateway is not ready");
    return this.sandbox.sandbox;
  }

  #administration(): Administration {
    const { setup: host } = this.options;
    const { secrets, store } = this.disk;
    const { onerror, pages } = this;
    const onchange = (): void => pages.notify(undefined, "gateway/setup-changed", {});
    return {
      setup:
        host &&
        new ServerSetup({
          host,
          secrets,
          audit: store.audit,
          servers: () => this.settings.servers,
          onchange,
          onerror,
        }),
      logs: new ServerLogs((server, lines) => {
        for (const page of pages.of()) page.logged(server, lines);
      }),
      mayAdminister: (user) => user === this.#onlyUser() || this.settings.admins.includes(user),
    };
  }

  /** Answers requests of servers with the services of this gateway. */
  asksOf(guard: () => GatewayGuard): ServerAsks {
    const roots: AskServices["roots"] = (of) => this.roots.of(of.user, of.server).roots;
    return asksOf(guard, { ...this.services, roots });
  }

  #guardMetrics(): GuardMetrics {
    return guardMetrics(
      this.counts,
      callNote(this.log, () => this.settings.log.access),
    );
  }

  /** Whether several users use the server of this name. */
  isShared(name: string): boolean {
    return this.pool.isShared(name) && this.#onlyUser() === undefined;
  }

  #onlyUser(): string | undefined {
    return this.settings.listen.users.length > 0 ? undefined : LOCAL_USER;
  }

  /** Notifies pages, and logs a server's events. */
  #follow(server: Server, user: string | undefined): void {
    const { options, pages, log } = this;
    let ready = 0;
    server.onStatus((status) => {
      pages.notify(user, "gateway/status", this.servers.summary(server));
      if (status.state !== "ready" || status.starts === ready) return;
      // A restarted server may offer other tools.
      if (ready > 0) pages.notify(user, "gateway/changed", { server: status.name });
      ready = status.starts;
    });
    logStarts(server, user, log);
    countStarts(server, this.counts);
    noteFaults(server, user, { log, serverFaults: this.counts.serverFaults });
    server.onStatus((status) => this.administration.logs.note(status));
    if (options.onstatus) server.onStatus(options.onstatus);
    server.onChange((changes) => {
      const { name } = server.settings;
      pages.notify(user, "gateway/changed", { server: name });
      options.onchange?.(name);
      const owner = user ?? this.#onlyUser() ?? "";
      for (const change of changes)
        void this.changes.note(`${name} ${owner}`, changeOf(server.settings, owner, change));
    });
  }

  /** Asks in the page that shows the view; for a program over HTTP, in the user's newest page. */
  #askOf(user: string, server: ServerKey): GatewayAsk {
    const { answer } = this.options;
    return (question, remember, signal) => {
      if (answer) return { answer: answer(question, user) };
      const page = this.views.find(question.view, user, server)?.page ?? this.pages.newest(user);
      if (page) return page.ask(question, remember, signal);
      throw new Refusal(
        "denied",
        "no page is open to ask the user: open the gateway in a browser, or allow it in a policy",
      );
    };
  }
}

/** The limits of a model per turn. */
export function conversationLimits({ model }: GatewaySettings): Partial<ConversationLimits> {
  const { time, ...limits } = model.limits;
  return { ...limits, seconds: time / 1000 };
}

/** Starts programs, and passes their stderr on. */
const launchAndListen =
  (onstderr: NonNullable<GatewayOptions["onstderr"]>): Launch =>
  async (spec) => {
    const launched = await launch(spec);
    launched.stderr.on("data", (chunk: Buffer) => onstderr(spec.name, chunk));
    return launched;
  };
