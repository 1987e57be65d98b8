/**
 * The servers of every user, each behind the guard of that user.
 *
 * @module
 */
import { Refusal } from "@vitrine/guard";
import { isVisibleTo, readToolUi, readViewProblem, type Tool, type ToolVisibility } from "@vitrine/protocol";
import {
  replacedServer,
  type Server,
  type ServerIdentity,
  type ServerPool,
  type ServerStatus,
} from "@vitrine/servers";
import type { ServerCatalogue, ServerSummary } from "@vitrine/wire";
import type { ServerKey } from "../store/store.js";
import { GatewayGuard } from "./gateway-guard.js";
import type { GatewayGuardOptions } from "./guard-options.js";
import type { GuardedCall } from "./guarded-call.js";
import type { Idempotency } from "./idempotency.js";
import { refuseUnlessRun } from "./keyed-call.js";

/** A server of a user's, with its guard. There is no other way to it. */
export interface GuardedServer {
  readonly server: Server;
  readonly guard: GatewayGuard;
}

/** Options of {@link GuardedServers}. */
export interface GuardedServersOptions
  extends Pick<GatewayGuardOptions, "settings" | "store" | "metrics" | "onerror"> {
  /** Keys are a user's, not a server's. */
  readonly idempotency: Idempotency;
  readonly pool: ServerPool;
  /** Notices for people: another server may have taken the name of one. */
  noticeOf?(server: ServerKey): string | undefined;
  /** What is the guard's own: whose views it knows, and whom it asks. */
  guardOf(user: string, server: ServerKey): Pick<GatewayGuardOptions, "views" | "ask">;
}

/** Milliseconds between two restarts of a server for pages: each ends the calls that are under way. */
const RESTART_PAUSE = 1000;

/** Gives out servers behind guards. */
export class GuardedServers {
  readonly #options: GuardedServersOptions;
  readonly #guards = new Map<Server, Map<string, GatewayGuard>>();
  /** When each may be restarted for a page again. */
  readonly #restarts = new WeakMap<Server, number>();

  constructor(options: GuardedServersOptions) {
    this.#options = options;
  }

  /**
   * The user's server of this name, as it is now: ask for it each time.
   *
   * @throws {GatewayError} `server-unknown`
   */
  get(user: string, name: string): GuardedServer {
    const { pool, guardOf, noticeOf: _, ...shared } = this.#options;
    const server = pool.get(user, name);
    const guards = this.#guards.get(server) ?? this.#follow(server);
    let guard = guards.get(user);
    if (!guard)
      guards.set(
        user,
        (guard = new GatewayGuard({ ...shared, ...guardOf(user, server.settings), server, user })),
      );
    return { server, guard };
  }

  /** Which server has this name now; undefined if there is none. */
  identityOf(name: string): ServerIdentity | undefined {
    return this.#options.pool.identityOf(name);
  }

  /**
   * Passes a call through the guard of its server. If there is no such server, a call that may have run before under the
   * same key is answered with what is known of it.
   *
   * @throws {GatewayError} `server-unknown`, `stopping`; and what the guard throws
   */
  async pass(
    call: GuardedCall,
    effect: (at: GuardedServer, passed: GuardedCall) => Promise<unknown>,
  ): Promise<unknown> {
    let at: GuardedServer;
    try {
      at = this.get(call.user, call.server);
      const { identity = at.server.settings.identity } = call;
      if (at.server.settings.identity !== identity) throw replacedServer(call.server);
    } catch (error) {
      return this.refuse(call, error);
    }
    return at.guard.pass(call, (passed) => effect(at, passed));
  }

  /** Refuses a call that came to no guard; see {@link refuseUnlessRun}. */
  refuse(call: GuardedCall, error: unknown): Promise<unknown> {
    return refuseUnlessRun(this.#options.idempotency, call, error);
  }

  /** What is known of a call under a key; see {@link Idempotency.recall}. */
  recall(user: string, key: string): ReturnType<Idempotency["recall"]> {
    return this.#options.idempotency.recall(user, key);
  }

  /** Whether the audit log may have lost a call that was made then. */
  async isForgotten(time: number): Promise<boolean> {
    return time < (await this.#options.store.audit.missingBefore());
  }

  summaries(user: string): ServerSummary[] {
    return this.#options.pool.list(user).map((server) => this.summary(server));
  }

  /** A server, as pages and programs see it. */
  summary({ status, settings }: Pick<Server, "status" | "settings">): ServerSummary {
    const notice = this.#options.noticeOf?.(settings);
    const { identity } = settings;
    return { ...summaryOf(status), identity, ...(notice !== undefined && { notice }) };
  }

  async start(user: string, name: string): Promise<ServerSummary> {
    const { server } = this.get(user, name);
    // What went wrong is in its status, for a person to read.
    await server.start().catch(() => {});
    return this.summary(server);
  }

  /**
   * Ends the user's server and starts it again; everybody's, if it is one for all. It is on record who did, and nobody
   * does so all the time.
   */
  async restart(user: string, name: string): Promise<ServerSummary> {
    const { server } = this.get(user, name);
    if (performance.now() < (this.#restarts.get(server) ?? 0))
      throw new Refusal("rate-limited", `"${name}" was restarted a moment ago: wait a second`);
    this.#restarts.set(server, Number.POSITIVE_INFINITY);
    try {
      const { audit } = this.#options.store;
      const { identity } = server.settings;
      const reason = "asked for by a page";
      await audit.mark({ user, server: name, identity, method: "gateway/restart", reason });
      await this.#options.pool.restart(name, user);
    } finally {
      this.#restarts.set(server, performance.now() + RESTART_PAUSE);
    }
    return this.summary(this.get(user, name).server);
  }

  /** All that a server offers; of its tools those that `who` may call, if it is given (C02, attack C04). */
  async catalogue(user: string, name: string, who?: ToolVisibility): Promise<ServerCatalogue> {
    const { server } = this.get(user, name);
    const isReplaced = (): boolean => this.identityOf(name) !== server.settings.identity;
    const offered = await offer(server, who).catch((error: unknown) => {
      if (isReplaced()) return undefined;
      throw error;
    });
    // A late answer of the replaced server does not describe the new one (attack E01).
    return offered && !isReplaced() ? offered : this.catalogue(user, name, who);
  }

  /** Calls that wait in all guards; for metrics. */
  get waiting(): number {
    let waiting = 0;
    for (const guards of this.#guards.values()) for (const guard of guards.values()) waiting += guard.waiting;
    return waiting;
  }

  /** A browser session is over: what was allowed for it no longer is. */
  endSession(user: string, session: string): void {
    for (const guards of this.#guards.values()) guards.get(user)?.endSession(session);
  }

  /** A user took answers back. */
  consentsRevoked(user: string): void {
    for (const guards of this.#guards.values()) guards.get(user)?.consentsRevoked();
  }

  async close(): Promise<void> {
    const guards = [...this.#guards.values()].flatMap((each) => [...each.values()]);
    this.#guards.clear();
    await Promise.all(guards.map((guard) => guard.close()));
  }

  /** A server that has stopped for good needs no guards. */
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

/** All that a server offers; of its tools those that `who` may call. */
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

/** A status, as pages and programs see it. */
export function summaryOf(status: ServerStatus): ServerSummary {
  const { name, state, problem, crash, retryAt, authorizeUrl, info, capabilities, protocolVersion } = status;
  return {
    name,
    state,
    problem,
    crash,
    retryAt,
    authorizeUrl,
    info,
    capabilities,
    protocolVersion,
    isolation: status.driver,
    garbage: status.garbage?.first[0],
  };
}

/** UIs that their server cannot read: it offers their tools without an address, and says why. */
const brokenViews = (tools: readonly Tool[]): ServerCatalogue["views"] =>
  tools.flatMap((tool) => {
    const problem = readToolUi(tool).resourceUri ? undefined : readViewProblem(tool);
    return problem === undefined ? [] : [{ tool: tool.name, uri: "", problem }];
  });
