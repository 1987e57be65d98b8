/**
 * The state of a server: whether it runs, what went wrong, and when it is retried.
 *
 * @module
 */
import type { Upstream } from "@vitrine/guard";
import { isRecord, Listeners, recordOf } from "@vitrine/protocol";
import { GatewayError } from "@vitrine/wire";
import type { ServerConnection } from "./connection.js";
import { isFault } from "./exit-cause.js";
import { LastCrash } from "./last-crash.js";
import type { ServerState, ServerStatus } from "./server.js";
import { backoff, type Clock } from "./support/clock.js";

/** Options of {@link RunState}. */
export interface RunStateOptions {
  readonly name: string;
  readonly clock: Clock;
  /** The connection that is in use. */
  connection(): ServerConnection | undefined;
  /** Called when a failed server should be retried; `didRun` says whether it was ready before it failed. */
  onretry(didRun: boolean): void;
  readonly onerror?: ((error: unknown) => void) | undefined;
}

type Counted = Pick<ServerStatus, "garbage">;

/** Milliseconds that a call waits for a restart. If the restart is further away, the call fails at once. */
const MAX_WAIT = 5_000;
/** Milliseconds of running time after which the failure count restarts. */
const WELL = 30_000;
/** Errors for which retrying is useless: the operator or the user must act first. */
const HOPELESS = new Set(["isolation-unavailable", "config-invalid", "address-forbidden"]);

/** Records what happens to a server, reports it to listeners, and schedules retries. */
export class RunState {
  readonly #options: RunStateOptions;
  readonly #listeners: Listeners<[ServerStatus]>;
  readonly #crash: LastCrash;
  #state: ServerState = "idle";
  #last: ServerConnection | undefined;
  #capabilities: Upstream["capabilities"] = {};
  #problem: ServerStatus["problem"];
  /** Counts the lines that were not messages since the last start; undefined while there are none. */
  #counted: Counted | undefined;
  #authorizeUrl: string | undefined;
  #retryAt: number | undefined;
  #endRetry: (() => void) | undefined;
  #starts = 0;
  #failures = 0;
  #readyAt = 0;

  constructor(options: RunStateOptions) {
    this.#options = options;
    this.#listeners = new Listeners(options.onerror);
    this.#crash = new LastCrash(options.clock, () => this.#notify());
  }

  get isWaiting(): boolean {
    return this.#state === "waiting";
  }

  get isStopped(): boolean {
    return this.#state === "stopped";
  }

  /** The capabilities of the last connection. */
  get capabilities(): Upstream["capabilities"] {
    return this.#capabilities;
  }

  get status(): ServerStatus {
    const running = this.#options.connection();
    return {
      name: this.#options.name,
      state: this.#state,
      capabilities: this.#capabilities,
      starts: this.#starts,
      problem: this.#problem,
      crash: this.#crash.crash,
      retryAt: this.#retryAt,
      authorizeUrl: this.#authorizeUrl,
      info: this.#last?.info,
      instructions: this.#last?.instructions,
      protocolVersion: this.#last?.protocolVersion,
      driver: running?.driver,
      pid: running?.pid,
      garbage: this.#counted?.garbage,
    };
  }

  listen(listener: (status: ServerStatus) => void): () => void {
    return this.#listeners.add(listener);
  }

  set(state: ServerState): void {
    // `stopped` is final.
    if (!this.isStopped) this.#state = state;
    if (state !== "unauthorized") this.#authorizeUrl = undefined;
    this.#notify();
  }

  /** Records a start. Returns a function that receives the lines of this start that are not messages. */
  starting(): (counted: Counted) => void {
    const start = ++this.#starts;
    this.#counted = undefined;
    this.set("starting");
    return (counted) => {
      if (this.#starts !== start) return;
      this.#counted = counted;
      this.#notify();
    };
  }

  /** Records a new connection; {@link ready} follows. Returns whether it is the first one. */
  connected(connection: ServerConnection): boolean {
    const isFirst = this.#last === undefined;
    this.#last = connection;
    this.#capabilities = connection.upstream.capabilities;
    this.#problem = undefined;
    this.#readyAt = this.#options.clock.now();
    return isFirst;
  }

  ready(): void {
    this.#crash.run();
    this.set("ready");
  }

  /** Records that the connection is no longer used, without a report: the next state follows. */
  dropped(): void {
    if (this.#state === "ready") this.#state = "idle";
  }

  /** Cancels the retry, and stops counting running time. */
  pause(): void {
    this.#endRetry?.();
    this.#crash.pause();
    this.#retryAt = undefined;
  }

  forgetFailures(): void {
    this.#failures = 0;
    this.#crash.forget();
  }

  /** Records why a start failed, or why a connection was lost, and schedules a retry if that may help. */
  failed(error: unknown, lost?: ServerConnection): void {
    const { data, message } = recordOf(error);
    const { code, stderr, authorizeUrl, fault } = isRecord(data) ? data : {};
    const lastWords = lost?.stderr ?? stderr;
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
    if (this.isStopped) return;
    const now = this.#options.clock.now();
    // For a remote connection that was cut, it is unknown which side caused it.
    if (lost?.pid !== undefined) this.#crash.keep({ at: now, ...said });
    if (lost && now - this.#readyAt >= WELL) this.#failures = 0;
    if (code === "server-unauthorized") this.set("unauthorized");
    else if (HOPELESS.has(String(code))) this.set("idle");
    else this.#retryLater(lost !== undefined);
  }

  /** @throws {GatewayError} if it is useless to wait: a user must sign in first, or the retry is far away */
  checkUsable(): void {
    const { name, clock } = this.#options;
    const isUnauthorized = this.#state === "unauthorized";
    const isFar = this.isWaiting && (this.#retryAt ?? 0) - clock.now() > MAX_WAIT;
    if (!isUnauthorized && !isFar) return;
    throw new GatewayError(
      isUnauthorized ? "server-unauthorized" : "server-failed",
      this.#problem?.message ?? `${name} does not run`,
      { data: { authorizeUrl: this.#authorizeUrl, retryAt: this.#retryAt } },
    );
  }

  #retryLater(didRun: boolean): void {
    const { clock, onretry } = this.#options;
    const delay = backoff(++this.#failures, clock.random);
    this.#retryAt = clock.now() + delay;
    this.#endRetry = clock.after(delay, () => {
      this.#retryAt = undefined;
      onretry(didRun);
    });
    this.set("waiting");
  }

  #notify(): void {
    this.#listeners.notify(this.status);
  }
}
