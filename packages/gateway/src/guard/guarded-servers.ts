/**
 * The servers of all users, each behind the guard of its user.
 *
 * @module
 */
import type { Link } from "@vitrine/guard";
import { isVisibleTo, readToolUi, readViewProblem, type Tool, type ToolVisibility } from "@vitrine/protocol";
import {
  replacedServer,
  type Server,
  type ServerIdentity,
  type ServerPool,
  type ServerStatus,
} from "@vitrine/servers";
import { GatewayError, type ServerCatalogue, type ServerSummary } from "@vitrine/wire";
import type { ServerKey } from "../store/known-servers.js";
import type { SessionConsent } from "../store/store.js";
import { BegunCalls } from "./begun-calls.js";
import { GatewayGuard } from "./gateway-guard.js";
import type { GatewayGuardOptions } from "./guard-options.js";
import type { GuardedCall } from "./guarded-call.js";
import type { Idempotency } from "./idempotency.js";
import { refuseUnlessRun } from "./keyed-call.js";
import { ServerRestarts } from "./server-restarts.js";
import { userTurns } from "./user-turns.js";

/** A server of a user with its guard. There is no other access to it. */
export interface GuardedServer {
  readonly server: Server;
  readonly guard: GatewayGuard;
}

/** Options of {@link GuardedServers}. */
export interface GuardedServersOptions
  extends Pick<GatewayGuardOptions, "settings" | "store" | "metrics" | "onerror"> {
  /** Shared, because keys belong to a user, not to a server. */
  readonly idempotency: Idempotency;
  readonly pool: ServerPool;
  /** The notice for users if another server may have taken the name. */
  noticeOf?(server: ServerKey): string | undefined;
  /** The guard's own options: its views, and how to ask the user. */
  guardOf(user: string, server: ServerKey): Pick<GatewayGuardOptions, "views" | "ask">;
}

/** Provides servers behind guards. */
export class GuardedServers {
  readonly begun = new BegunCalls();
  readonly #options: GuardedServersOptions;
  readonly #guards = new Map<Server, Map<string, GatewayGuard>>();
  readonly #turns = new WeakMap<Server, (user: string) => Link>();
  readonly #restarts = new ServerRestarts();

  constructor(options: GuardedServersOptions) {
    this.#options = options;
  }

  /**
   * The user's current server of this name. Do not keep it.
   *
   * @throws {GatewayError} `server-unknown`
   */
  get(user: string, name: string): GuardedServer {
    const server = this.#options.pool.get(user, name);
    return { server, guard: this.guardOf(user, server) };
  }

  /**
   * The user's current server of this name, if it is the intended one.
   *
   * @throws {GatewayError} `server-unknown`, `server-replaced`
   */
  getSame(user: string, server: ServerKey): GuardedServer {
    this.checkSame(server);
    return this.get(user, server.name);
  }

  /**
   * Checks that the name still belongs to the intended server. Creates nothing.
   *
   * @throws {GatewayError} `server-unknown`, `server-replaced`
   */
  checkSame({ name, identity }: ServerKey): void {
    const current = this.identityOf(name);
    if (current === undefined) throw new GatewayError("server-unknown", `there is no server "${name}"`);
    if (current !== identity) throw replacedServer(name);
  }

  /**
   * The guard of a user at a server that exists already.
   *
   * @throws {GatewayError} `stopping` if the server has stopped permanently
   */
  guardOf(user: string, server: Server): GatewayGuard {
    if (server.status.state === "stopped") {
      throw new GatewayError("stopping", `the server "${server.settings.name}" has stopped`);
    }
    const { pool: _pool, guardOf, noticeOf: _, ...shared } = this.#options;
    const guards = this.#guards.get(server) ?? this.#follow(server);
    const known = guards.get(user);
    if (known) return known;
    const turns = this.#turnsAt(server)?.(user);
    const begun = this.begun.of(user);
    const own = guardOf(user, server.settings);
    const guard = new GatewayGuard({ ...shared, ...own, server, user, turns, begun });
    guards.set(user, guard);
    return guard;
  }

  #turnsAt(server: Server): ((user: string) => Link) | undefined {
    if (!this.#options.pool.isShared(server.settings.name)) return undefined;
    const turns = this.#turns.get(server) ?? userTurns(server.settings);
    this.#turns.set(server, turns);
    return turns;
  }

  /** The identity of the server that has this name now; undefined if there is none. */
  identityOf(name: string): ServerIdentity | undefined {
    return this.#options.pool.identityOf(name);
  }

  /**
   * Passes a call through the guard of its server. If the server does not exist, a call that may have run
   * before with the same key is answered with its known outcome.
   *
   * @throws {GatewayError} `server-unknown`, `stopping`; and errors of the guard
   */
  async pass(
    call: GuardedCall,
    effect: (at: GuardedServer, passed: GuardedCall) => Promise<unknown>,
  ): Promise<unknown> {
    const { user, server: name, identity } = call;
    let at: GuardedServer;
    try {
      at = identity === undefined ? this.get(user, name) : this.getSame(user, { name, identity });
    } catch (error) {
      return this.refuse(call, error);
    }
    return at.guard.pass(call, (passed) => effect(at, passed));
  }

  /** Refuses a call that reached no guard; see {@link refuseUnlessRun}. */
  refuse(call: GuardedCall, error: unknown): Promise<unknown> {
    return refuseUnlessRun(this.#options.idempotency, call, error);
  }

  /** The known outcome of a call with this key; see {@link Idempotency.recall}. */
  recall(user: string, key: string): ReturnType<Idempotency["recall"]> {
    return this.#options.idempotency.recall(user, key);
  }

  /** Whether the audit log may have lost a call of this time. */
  async isForgotten(time: number): Promise<boolean> {
    return time < (await this.#options.store.audit.missingBefore());
  }

  summaries(user: string): ServerSummary[] {
    return this.#options.pool.list(user).map((server) => this.summary(server));
  }

  /** The summary of a server for pages and programs. */
  summary({ status, settings }: Pick<Server, "status" | "settings">): ServerSummary {
    const notice = this.#options.noticeOf?.(settings);
    const { identity, transport } = settings;
    return {
      ...summaryOf(status),
      identity,
      transport: transport.type,
      ...(notice !== undefined && { notice }),
    };
  }

  async start(user: string, name: string): Promise<ServerSummary> {
    const { server } = this.get(user, name);
    // Errors are in the status.
    await server.start().catch(() => {});
    return this.summary(server);
  }

  /**
   * Restarts the user's server. A server that others use too is restarted only while none of their calls is running. The restart
   * is recorded, and its rate is limited.
   *
   * @throws {GatewayError} `server-in-use`
   */
  async restart(user: string, name: string): Promise<ServerSummary> {
    const { pool, store } = this.#options;
    const { server } = this.get(user, name);
    const { identity } = server.settings;
    const mark = { user, server: name, identity, method: "gateway/restart", reason: "requested by a page" };
    await this.#restarts.run({
      server,
      others: () =>
        [...(this.#guards.get(server) ?? [])].flatMap(([owner, guard]) =>
          owner === user ? [] : [guard.underWay],
        ),
      record: () => store.audit.mark(mark),
      restart: () => pool.restart(name, user),
    });
    return this.summary(this.get(user, name).server);
  }

  /** Everything that a server offers; if `who` is given, only the tools that it may call. */
  async catalogue(user: string, name: string, who?: ToolVisibility): Promise<ServerCatalogue> {
    const { server } = this.get(user, name);
    const isReplaced = (): boolean => this.identityOf(name) !== server.settings.identity;
    const offered = await offer(server, who).catch((error: unknown) => {
      if (isReplaced()) return undefined;
      throw error;
    });
    // A late answer of a replaced server does not describe the new one.
    return offered && !isReplaced() ? offered : this.catalogue(user, name, who);
  }

  /** Waiting calls in all guards; for metrics. */
  get waiting(): number {
    let waiting = 0;
    for (const guards of this.#guards.values()) for (const guard of guards.values()) waiting += guard.waiting;
    return waiting;
  }

  /** Ends a browser session, and revokes the approvals for it. */
  endSession(user: string, session: string): void {
    for (const guards of this.#guards.values()) guards.get(user)?.endSession(session);
  }

  /** A user's answers that end with a session or a view. */
  sessionConsents(user: string): SessionConsent[] {
    return [...this.#guards.values()].flatMap((guards) => guards.get(user)?.sessionConsents() ?? []);
  }

  /** Reports that a user revoked approvals. */
  consentsRevoked(user: string): void {
    for (const guards of this.#guards.values()) guards.get(user)?.consentsRevoked();
  }

  async close(): Promise<void> {
    const guards = [...this.#guards.values()].flatMap((each) => [...each.values()]);
    this.#guards.clear();
    await Promise.all(guards.map((guard) => guard.close()));
  }

  /** Removes the guards of a server that has stopped permanently. */
  #follow(server: Server): Map<string, GatewayGuard> {
    const guards = new Map<string, GatewayGuard>();
    this.#guards.set(server, guards);
    const stop = server.onStatus(({ state }) => {
      if (state !== "stopped") return;
      stop();
      this.#guards.delete(server);
      for (const guard of guards.values()) guard.close().catch((error) => this.#options.onerror?.(error));
    });
    return guards;
  }
}

/** Everything that a server offers; if `who` is given, only the tools that it may call. */
async function offer(server: Server, who: ToolVisibility | undefined): Promise<ServerCatalogue> {
  await server.start();
  const { tools, resources, templates, prompts, views, missing } = await server.catalogue();
  const isFor = (tool: Tool): boolean => who === undefined || isVisibleTo(tool, who);
  return {
    tools: tools.filter(isFor),
    resources: [...resources],
    templates: [...templates],
    prompts: [...prompts],
    views: [
      ...views
        .filter(({ tool }) => isFor(tool))
        .map(({ tool, uri, hash, document }) => ({
          tool: tool.name,
          uri,
          hash,
          ...(!document.ok && { problem: document.message }),
        })),
      ...brokenViews(tools.filter(isFor)),
    ],
    ...(missing && { missing: [...missing] }),
  };
}

/** Converts a status for pages and programs. */
export function summaryOf(status: ServerStatus): ServerSummary {
  const {
    name,
    state,
    problem,
    crash,
    retryAt,
    authorizeUrl,
    info,
    instructions,
    capabilities,
    protocolVersion,
  } = status;
  return {
    name,
    state,
    problem,
    crash,
    retryAt,
    authorizeUrl,
    info,
    instructions,
    capabilities,
    protocolVersion,
    isolation: status.driver,
    garbage: status.garbage?.first[0],
  };
}

/** UIs that the server itself cannot read: it offers their tools without a URI, and explains why. */
const brokenViews = (tools: readonly Tool[]): ServerCatalogue["views"] =>
  tools.flatMap((tool) => {
    const problem = readToolUi(tool).resourceUri ? undefined : readViewProblem(tool);
    return problem === undefined ? [] : [{ tool: tool.name, uri: "", problem }];
  });
