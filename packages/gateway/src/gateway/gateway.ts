/**
 * A gateway, for the program that starts it.
 *
 * @module
 */
import type { Conversations, Models } from "@vitrine/conversation";
import { GatewayError } from "@vitrine/wire";
import { changedKeys } from "../config/changed-keys.js";
import type { DrainSettings, GatewaySettings } from "../config/config.js";
import type { GatewayApi } from "../http/api.js";
import type { LinkOptions } from "../http/link-options.js";
import { createLog } from "../http/logging.js";
import { Metrics } from "../http/metrics.js";
import { gatewayMetrics } from "../http/metrics-gateway.js";
import { processMetrics } from "../http/metrics-process.js";
import { OpenPages } from "../sessions/open-pages.js";
import { gatewayApi } from "./api.js";
import { closeParts } from "./close-parts.js";
import { openDisk } from "./disk.js";
import { followUsers } from "./node-duties.js";
import { openListener } from "./open-listener.js";
import type { GatewayOptions } from "./options.js";
import { conversationLimits, GatewayParts } from "./parts.js";
import { Retention } from "./retention.js";
import { forgetResults, readingsOf } from "./upkeep.js";

const TEST_MODE =
  "test mode: any program in the page can answer questions on your behalf; use it only for tests, with servers that you trust";

/** Settings that take effect at the next start. */
const AT_START = ["listen", "sandbox", "database", "dataFolder", "session", "nodes"] as const;

/**
 * A running gateway, created by {@link startGateway}.
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
export class RunningGateway {
  readonly metrics: Metrics;
  /** The HTTP API for programs in this process. Pass the user on whose behalf it acts. */
  readonly api: GatewayApi;
  readonly #parts: GatewayParts;
  readonly #retention: Retention;
  #closing: Promise<void> | undefined;

  private constructor(parts: GatewayParts, metrics: Metrics) {
    this.#parts = parts;
    this.metrics = metrics;
    this.api = gatewayApi(parts);
    this.#retention = new Retention(parts);
  }

  /** Opens the store, the sandbox and the listener, and starts eager servers. */
  static async start(settings: GatewaySettings, options: GatewayOptions = {}): Promise<RunningGateway> {
    const log = options.log ?? createLog();
    log.level = settings.log.level;
    const metrics = new Metrics();
    const counts = gatewayMetrics(
      metrics,
      readingsOf(() => parts),
    );
    processMetrics(metrics);
    const pages = new OpenPages();
    const store = {
      ...options.store,
      oncommit: (seconds: number): void => {
        counts.auditCommits.add();
        counts.auditSeconds.observe({}, seconds);
      },
      onalarm: ({ active, message, cause }: { active: boolean; message: string; cause?: unknown }): void => {
        log[active ? "error" : "info"]({ err: cause }, `audit log: ${message}`);
        counts.auditAlarm.set({}, active ? 1 : 0);
        pages.notify(undefined, "gateway/alarm", { active, message });
      },
    };
    const disk = await openDisk(settings, store, log, options.node);
    const parts = new GatewayParts({ settings, options, log, disk, counts, pages });
    const gateway = new RunningGateway(parts, metrics);
    followUsers(parts);
    try {
      await gateway.#open();
      return gateway;
    } catch (error) {
      await gateway.close(0);
      throw error;
    }
  }

  async #open(): Promise<void> {
    const { disk, log, names, options, pool, settings } = this.#parts;
    if (options.testMode) log.warn(TEST_MODE);
    await openListener(this.#parts, this.api, this.metrics);
    // No await between the listener and this: pages that reconnect at once find their servers.
    const taken = names.take(settings.servers);
    pool.update(settings.servers);
    await taken;
    // In the background: the list of models shows failures.
    void disk.models.refresh();
    void this.#retention.run();
    forgetResults(this.#parts);
  }

  /** The conversations of all users. */
  get conversations(): Conversations {
    return this.#parts.conversations;
  }

  get models(): Models {
    return this.#parts.disk.models;
  }

  /** The origin for browsers. */
  get origin(): string {
    return this.#parts.listener?.origin ?? "";
  }

  /** The token for local programs; undefined if users have their own. Never log it. */
  get token(): string | undefined {
    return this.#parts.auth.token;
  }

  get sandboxPort(): number {
    return this.#parts.sandbox?.port ?? 0;
  }

  /** A link that signs a browser in, once. Show it to the user; never log it. */
  loginUrl(user?: string, options?: LinkOptions): string {
    const { listener } = this.#parts;
    if (!listener) throw new GatewayError("stopping", "the gateway is not listening");
    return listener.loginUrl(user, options);
  }

  /**
   * Applies new settings: servers, policies and users may change. Settings of the listener, the sandbox, the
   * database and sessions take effect at the next start; returns the names of those that differ.
   */
  update(settings: GatewaySettings): string[] {
    const parts = this.#parts;
    const before = parts.settings;
    const later = AT_START.filter((key) => withoutUsers(before[key]) !== withoutUsers(settings[key]));
    if (JSON.stringify(before.listen.users) !== JSON.stringify(settings.listen.users))
      this.#updateUsers(before.listen.users, settings.listen.users);
    parts.settings = settings;
    parts.log.level = settings.log.level;
    parts.auth.setMetricsHash(settings.metrics.tokenHash);
    forgetResults(parts);
    parts.disk.models.update(settings.model);
    parts.conversations.setLimits(conversationLimits(settings));
    void parts.disk.models.refresh();
    // Parts that need the identities wait until they are on disk: see `KnownServers.settled`.
    parts.names
      .take(settings.servers)
      .catch((error: unknown) =>
        parts.log.error({ err: error }, "the identities of servers could not be stored"),
      );
    const { added, changed, removed } = parts.pool.update(settings.servers);
    for (const page of parts.pages.of()) {
      for (const name of [...added, ...changed]) page.moved(name);
      for (const name of removed) page.removed(name);
      // A page addresses its calls to the servers that it knows.
      for (const name of [...added, ...changed]) page.notifyServer(name);
      for (const name of [...added, ...changed, ...removed]) page.notify("gateway/changed", { server: name });
    }
    const keys = changedKeys(before, settings);
    parts.log.info(
      { settings: keys, added, changed, removed, later },
      keys.length > 0 ? "settings applied" : "settings read again: nothing changed",
    );
    return later;
  }

  /** Ends the connections of users who were removed or have a new token. */
  #updateUsers(before: Users, after: Users): void {
    const { auth, pool, registry } = this.#parts;
    auth.setUsers(after);
    pool.setUsers(after.map(({ name }) => name));
    for (const { name, tokenHash } of before)
      if (!after.some((user) => user.name === name && user.tokenHash === tokenHash)) registry.endUser(name);
  }

  /**
   * Restarts a server for every user who has started it, for example because its files changed. Resolves when
   * it is running again; its status contains any error. Views stay open, and pages are notified.
   *
   * @throws {GatewayError} `server-unknown`
   */
  restart(name: string): Promise<void> {
    return this.#parts.pool.restart(name);
  }

  /**
   * Prepares to stop: reports that the gateway is not ready, refuses new work after `delay`, lets calls that
   * have begun end within `time`, and sends pages away as their users have no such calls. They reconnect and
   * repeat what is unanswered, as after a crash. Resolves when all have left, or the time is over. By default, the
   * settings' `drain`. {@link close} does this first.
   */
  drain(times: Partial<DrainSettings> = {}): Promise<void> {
    return this.#parts.drain.all({ ...this.#parts.settings.drain, ...times });
  }

  /**
   * Hands a user over to another gateway: like {@link drain}, for one user. Resolves when no session, call,
   * conversation or program of theirs is left in this process. Requests of the user are refused as `stopping`
   * until {@link accept}.
   */
  handOver(user: string, time = this.#parts.settings.drain.time): Promise<void> {
    return this.#parts.drain.user(user, time);
  }

  /** Serves a user again who was handed over. */
  accept(user: string): void {
    this.#parts.drain.accept(user);
  }

  /**
   * Drains the gateway, and stops everything. Calls that have begun get `grace` milliseconds, without a delay
   * before; by default, the settings' `drain`. May be called repeatedly: a shorter `grace` ends the wait of an
   * earlier call.
   */
  close(grace?: number): Promise<void> {
    const drained = this.drain(grace === undefined ? {} : { time: grace, delay: 0 });
    return (this.#closing ??= this.#close(drained));
  }

  async #close(drained: Promise<void>): Promise<void> {
    this.#retention.close();
    await drained;
    await closeParts(this.#parts);
  }
}

type Users = GatewaySettings["listen"]["users"];

/** Ignores users, who may change at any time. */
const withoutUsers = (settings: unknown): string =>
  JSON.stringify(settings, (key, value: unknown) => (key === "users" ? undefined : value));

/**
 * Starts a gateway.
 *
 * @throws {GatewayError} `config-invalid` if the gateway cannot be opened with these settings
 * @example
 * ```ts source="./gateway.examples.ts#startGateway"
 * const settings = await readSettingsFile("mcp.json");
 * const gateway = await startGateway(settings, { static: { folder: "public" } });
 * // The link signs a browser in, once. With users in the settings, pass the user: loginUrl("ana").
 * show(gateway.loginUrl());
 * process.once("SIGTERM", () => gateway.close());
 * ```
 */
export const startGateway = (settings: GatewaySettings, options?: GatewayOptions): Promise<RunningGateway> =>
  RunningGateway.start(settings, options);
