/**
 * A gateway, for the program that starts it.
 *
 * @module
 */
import type { Conversations, Models } from "@vitrine/conversation";
import { GatewayError } from "@vitrine/wire";
import type { DrainSettings, GatewaySettings } from "../config/config.js";
import type { GatewayApi } from "../http/api.js";
import type { LinkOptions } from "../http/link-options.js";
import type { Metrics } from "../http/metrics.js";
import { gatewayApi } from "./api.js";
import { applySettings } from "./apply-settings.js";
import { closeParts } from "./close-parts.js";
import { openListener } from "./open-listener.js";
import { openParts } from "./open-parts.js";
import type { GatewayOptions } from "./options.js";
import type { GatewayParts } from "./parts.js";
import { Retention } from "./retention.js";
import { forgetResults } from "./upkeep.js";

const TEST_MODE =
  "test mode: any program in the page can answer questions on your behalf; use it only for tests, with servers that you trust";

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
    const { parts, metrics } = await openParts(settings, options);
    const gateway = new RunningGateway(parts, metrics);
    try {
      await gateway.#open();
      return gateway;
    } catch (error) {
      await gateway.close(0);
      throw error;
    }
  }

  async #open(): Promise<void> {
    const { administration, disk, log, names, options, pool, settings } = this.#parts;
    if (options.testMode) log.warn(TEST_MODE);
    await openListener(this.#parts, this.api, this.metrics);
    // No await between the listener and this: pages that reconnect at once find their servers.
    const taken = names.take(settings.servers);
    pool.update(settings.servers);
    await taken;
    // In the background: the list of models shows failures.
    void disk.models.refresh();
    void administration.setup?.loaded();
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
    return applySettings(this.#parts, settings);
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
