/**
 * Holds the servers of all users.
 *
 * @module
 */
import { type Implementation, Listeners } from "@vitrine/protocol";
import { GatewayError, VITRINE_VERSION } from "@vitrine/wire";
import type { Launch } from "./isolation/isolation.js";
import { ProgramBudget, type ProgramLimits } from "./program-budget.js";
import { connectRemote, type SignIn } from "./remote-connection.js";
import type { Server } from "./server.js";
import type { ServerAsks } from "./server-asks.js";
import type { ServerIdentity } from "./server-identity.js";
import type { ServerSettings } from "./settings.js";
import { connectStdio } from "./stdio-connection.js";
import { ManagedServer, type ManagedServerOptions } from "./supervisor.js";
import type { Clock } from "./support/clock.js";
import type { VerdictStore } from "./verdicts.js";

/** Options of {@link ServerPool}. */
export interface ServerPoolOptions {
  /** Starts programs. */
  launch: Launch;
  /**
   * Signs a user in to a server that has no static `authorization` header. Without it, a server that requires
   * sign-in stays `unauthorized`.
   */
  signIn?: ((user: string, settings: ServerSettings) => SignIn | undefined) | undefined;
  /**
   * Answers a server's requests for its user; the user is undefined for a shared server. Call `server` when
   * a request comes, because the server does not exist before. Without `asks`, no such capability is declared.
   */
  asks?:
    | ((user: string | undefined, settings: ServerSettings, server: () => Server) => ServerAsks | undefined)
    | undefined;
  /**
   * Users whose servers with `start: "eager"` start at once. Those of other users start at their first use.
   */
  users?: readonly string[] | undefined;
  /** The protocol generation of each server; kept in memory by default. */
  verdicts?: VerdictStore | undefined;
  /** The limits of all programs together. They are read at each start, and while programs run. */
  limits?: (() => ProgramLimits) | undefined;
  /** Name and version of this client. */
  info?: Implementation | undefined;
  clock?: Clock | undefined;
  /**
   * Called with errors that no caller receives: from listeners, and from servers that start eagerly or drain.
   */
  onerror?: ((error: unknown) => void) | undefined;
}

/** The owner of servers that all users share. */
const ALL = "*";

/**
 * Gives every user their own servers. All users share a server that the operator declares stateless.
 *
 * @example
 * ```ts source="./servers.examples.ts#serverPool"
 * const pool = new ServerPool({ launch });
 * pool.update(settings);
 * const { upstream } = pool.get("ada", "weather");
 * const result = await upstream.request("tools/call", { name: "forecast", arguments: { city: "Oslo" } });
 * await pool.close();
 * ```
 */
export class ServerPool {
  readonly #options: ServerPoolOptions;
  readonly #verdicts: VerdictStore;
  readonly #servers = new Map<string, Map<string, ManagedServer>>();
  readonly #budget: ProgramBudget;
  readonly #created: Listeners<[Server, string | undefined]>;
  readonly #draining = new Map<ManagedServer, Promise<void>>();
  #settings: ReadonlyMap<string, ServerSettings> = new Map();
  #users: readonly string[];
  #closed = false;

  constructor(options: ServerPoolOptions) {
    this.#options = options;
    this.#users = options.users ?? [];
    this.#budget = new ProgramBudget(options.limits ?? (() => ({})));
    this.#created = new Listeners(options.onerror);
    this.#verdicts = options.verdicts ?? new Map<string, string>();
  }

  /**
   * The user's server of this name. Do not keep it: a new server replaces it when its settings change.
   *
   * @throws {GatewayError} `server-unknown`
   */
  get(user: string, name: string): Server {
    return this.#get(user, name);
  }

  /** The identity of the server that has this name now; undefined if there is none. */
  identityOf(name: string): ServerIdentity | undefined {
    return this.#settings.get(name)?.identity;
  }

  /** Whether all users share the server that has this name now. */
  isShared(name: string): boolean {
    const settings = this.#settings.get(name);
    return settings !== undefined && isShared(settings);
  }

  /** Whether users sign in to the server that has this name now. */
  canSignIn(name: string): boolean {
    const settings = this.#settings.get(name);
    return settings !== undefined && canSignIn(settings);
  }

  #get(user: string, name: string): ManagedServer {
    if (this.#closed) throw new GatewayError("stopping", "the gateway is stopping");
    const settings = this.#settings.get(name);
    if (!settings) throw unknownServer(name);
    const shared = isShared(settings);
    const owner = shared ? ALL : `=${user}`;
    const owned = this.#servers.get(name) ?? new Map<string, ManagedServer>();
    this.#servers.set(name, owned);
    const known = owned.get(owner);
    if (known) return known;
    const server = this.#create(settings, user);
    owned.set(owner, server);
    this.#created.notify(server, shared ? undefined : user);
    if (settings.start === "eager") server.start().catch((error: unknown) => this.#options.onerror?.(error));
    return server;
  }

  /**
   * Restarts the user's server of this name; without a user, every instance that was ever started. Failures
   * appear in the status.
   *
   * @throws {GatewayError} `server-unknown`
   */
  async restart(name: string, user?: string): Promise<void> {
    if (!this.#settings.has(name)) throw unknownServer(name);
    const started = [...(this.#servers.get(name)?.values() ?? [])].filter(({ status }) => status.starts > 0);
    const wanted = user === undefined ? started : [this.#get(user, name)];
    await Promise.allSettled(wanted.map((server) => server.restart()));
  }

  /** All servers of a user. */
  list(user: string): Server[] {
    return [...this.#settings.keys()].map((name) => this.get(user, name));
  }

  /** All servers that exist now, of all users. */
  all(): Server[] {
    return [...this.#servers.values()].flatMap((owned) => [...owned.values()]);
  }

  /**
   * Calls the listener for every server that is created, with its user (undefined if shared). Returns a
   * function that removes the listener.
   */
  onCreate(listener: (server: Server, user: string | undefined) => void): () => void {
    return this.#created.add(listener);
  }

  /**
   * Applies new settings. Servers that were removed or changed get no new calls and end after their pending
   * calls; the others keep running. Returns the names of the added, changed and removed servers.
   */
  update(settings: ReadonlyMap<string, ServerSettings>): {
    added: string[];
    changed: string[];
    removed: string[];
  } {
    const before = this.#settings;
    this.#settings = settings;
    const names = [...settings.keys()];
    const added = names.filter((name) => !before.has(name));
    const removed = [...before.keys()].filter((name) => !settings.has(name));
    const changed = names.filter(
      (name) => before.has(name) && JSON.stringify(before.get(name)) !== JSON.stringify(settings.get(name)),
    );
    // Calls have timeouts of their own.
    for (const name of [...changed, ...removed]) this.#drain(name, Number.POSITIVE_INFINITY);
    for (const name of [...added, ...changed]) {
      const one = settings.get(name);
      if (one) this.#startEager(one);
    }
    return { added, changed, removed };
  }

  /** Sets the users. Servers of removed users end, and eager servers of new users start. */
  setUsers(users: readonly string[]): void {
    this.#users = users;
    const owners = new Set([ALL, ...users.map((user) => `=${user}`)]);
    for (const owned of this.#servers.values()) {
      for (const [owner, server] of owned) {
        if (owners.has(owner)) continue;
        owned.delete(owner);
        void this.#end(server);
      }
    }
    for (const settings of this.#settings.values()) this.#startEager(settings);
  }

  /** Ends the user's own servers; shared ones keep running. Pending calls get `grace` milliseconds. */
  async release(user: string, grace?: number): Promise<void> {
    const ended: Promise<void>[] = [];
    for (const owned of this.#servers.values()) {
      const server = owned.get(`=${user}`);
      owned.delete(`=${user}`);
      if (server) ended.push(this.#end(server, grace));
    }
    await Promise.all(ended);
  }

  /** Ends every server and its child processes. Pending calls get `grace` milliseconds. */
  async close(grace?: number): Promise<void> {
    this.#closed = true;
    for (const server of this.#draining.keys()) void server.stop(grace);
    for (const name of [...this.#servers.keys()]) this.#drain(name, grace);
    await Promise.all(this.#draining.values());
  }

  #drain(name: string, grace?: number): void {
    const owned = this.#servers.get(name);
    this.#servers.delete(name);
    for (const server of owned?.values() ?? []) void this.#end(server, grace);
  }

  #end(server: ManagedServer, grace?: number): Promise<void> {
    const end = server
      .stop(grace)
      .catch((error: unknown) => this.#options.onerror?.(error))
      .finally(() => this.#draining.delete(server));
    this.#draining.set(server, end);
    return end;
  }

  #startEager(settings: ServerSettings): void {
    if (settings.start !== "eager") return;
    for (const user of isShared(settings) ? [ALL] : this.#users) this.get(user, settings.name);
  }

  #create(settings: ServerSettings, user: string): ManagedServer {
    const { signIn, asks, clock, onerror } = this.#options;
    const launch = this.#budget.launching(this.#options.launch, isShared(settings) ? undefined : user);
    const info = this.#options.info ?? { name: "vitrine-gateway", version: VITRINE_VERSION };
    const common = {
      settings,
      info,
      verdicts: this.#verdicts,
      asks: asks?.(isShared(settings) ? undefined : user, settings, () => server),
    };
    const { transport } = settings;
    const session = canSignIn(settings) ? signIn?.(user, settings) : undefined;
    const connect: ManagedServerOptions["connect"] = (signal, ongarbage, tap) =>
      transport.type === "stdio"
        ? connectStdio({ ...common, signal, ongarbage, tap, transport, launch })
        : connectRemote({ ...common, signal, tap, transport, signIn: session });
    const server: ManagedServer = new ManagedServer({ settings, connect, clock, onerror });
    const forget = session?.onSignedIn?.(() => {
      server.start().catch((error: unknown) => onerror?.(error));
    });
    if (forget) server.onStatus(({ state }) => state === "stopped" && forget());
    return server;
  }
}

const unknownServer = (name: string): GatewayError =>
  new GatewayError("server-unknown", `there is no server "${name}"`);

/** Static credentials of the operator take precedence over signing in. */
const canSignIn = ({ transport }: ServerSettings): boolean =>
  transport.type !== "stdio" &&
  transport.oauth &&
  !Object.keys(transport.headers).some((name) => name.toLowerCase() === "authorization");

/** A server that a user signs in to is not shared, even if it is stateless. */
const isShared = (settings: ServerSettings): boolean => settings.stateless && !canSignIn(settings);
