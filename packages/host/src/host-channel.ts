/**
 * The host's side of the channel to one view: a checked peer that consults the lifecycle before every
 * message.
 *
 * @module
 */

import type { AppDetails } from "@vitrine/guard";
import {
  acceptText,
  type Cause,
  CheckedPeer,
  DEFAULT_LIMITS,
  encodeError,
  HOST_END,
  type HostContext,
  HostLifecycle,
  type HostPhase,
  INVALID_REQUEST,
  type LifecycleLimits,
  METHOD_NOT_FOUND,
  type NotificationFrom,
  type Outgoing,
  type Params,
  type RequestFrom,
  type RequestOptions,
  type Result,
  recordOf,
  type Transport,
  VitrineError,
} from "@vitrine/protocol";
import { type BridgeTransport, inflate } from "./bridge-transport.js";
import { type Dialect, earlyForm, looksEarly } from "./dialect.js";
import { Emitter } from "./emitter.js";

/** Options of a {@link HostChannel}. */
export interface HostChannelOptions {
  /** Timeouts of the view's steps. */
  limits?: Partial<LifecycleLimits> | undefined;
  /** Whether early names of messages are sent too; `auto` by default. */
  dialect?: Dialect | undefined;
}

type Tell = NotificationFrom<"host">;

/** The longest timeout, 11 days. A timer with a longer delay overflows and fires immediately. */
const LONGEST = 1e9;

/** A view's channel: the base of a `Bridge`. */
export abstract class HostChannel extends Emitter {
  protected readonly peer = new CheckedPeer(HOST_END);
  readonly #dialect: Dialect | undefined;
  /** Requests that wait for their view to be ready: sends each, or rejects it. */
  readonly #asked = new Set<(error?: unknown) => void>();
  readonly #life: HostLifecycle;
  #failure: Cause | undefined;
  #app: AppDetails | undefined;
  #early = false;
  #wire: Transport | undefined;
  /** Whether messages go to the view as text. */
  protected isText = false;
  #deliver: (message: unknown) => void = () => {};
  /** When the transport was opened. */
  #start = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #seen: HostPhase = "loading";
  /** The id of the pending `ui/initialize`. */
  #initializing: unknown;
  #ending: Promise<Cause | undefined> | undefined;
  /** The view's unanswered requests, by id. */
  readonly #unanswered = new Set<unknown>();
  /** Number of the host's own requests in flight. */
  #asking = 0;
  readonly #teardownLimit: number;
  /** Settles when a {@link suspend} in progress has released the transport. */
  #suspending: Promise<void> | undefined;
  /** Called when a request has to wait for the view, which may not be loaded. */
  onwaiting: (() => void) | undefined;

  constructor({ limits, dialect }: HostChannelOptions) {
    super();
    this.#dialect = dialect;
    this.#teardownLimit = limits?.teardown ?? DEFAULT_LIMITS.teardown;
    this.#life = new HostLifecycle({ now: () => this.#now(), limits });
    this.peer.onreport = (error) => this.emit("report", error);
    this.peer.handle("ui/initialize", (params) => this.greet((this.#app = params)));
  }

  /** A view's timeouts start when its transport is opened. */
  #now(): number {
    return this.#wire ? performance.now() - this.#start : 0;
  }

  /** Answers `ui/initialize`. */
  protected abstract greet(app: AppDetails): Result<"ui/initialize">;
  /** The current host context. */
  abstract readonly context: HostContext;

  /** The view's lifecycle phase. */
  get phase(): HostPhase {
    return this.#failure ? "failed" : this.#life.phase;
  }
  /** Why the host gave up on the view, or stopped waiting for its teardown. */
  get cause(): Cause | undefined {
    return this.#failure ?? this.#life.cause;
  }
  /** The view's description of itself, once it has connected. */
  get app(): AppDetails | undefined {
    return this.#app;
  }
  /** The messages of the tool call so far, in order: a view that restarts receives them again. */
  get call(): readonly Pick<Outgoing, "method" | "params">[] {
    return this.#life.call;
  }
  /** Whether a request of either side is in flight. */
  get isBusy(): boolean {
    return this.#unanswered.size + this.#asking > 0;
  }
  protected get isOver(): boolean {
    return this.phase.startsWith("clos");
  }

  /**
   * Opens the channel; call it before the view loads. With another transport, the view is expected in a new
   * frame, and receives its messages again; the same holds after {@link detach}, and after a failure.
   *
   * @throws {VitrineError} `closed` after the end
   */
  open(transport: BridgeTransport): this {
    if (this.isOver) throw closedError();
    if (this.#wire || this.#failure) this.detach();
    this.#start = performance.now();
    this.isText = !!transport.carriesText;
    // A view that sends text gets text.
    const wire = this.isText ? transport : acceptText(transport, () => (this.isText = true));
    this.#wire = wire;
    this.peer.open(this.#mount());
    wire.start(
      (message) => this.#wire === wire && this.#receive(message),
      () => this.#wire === wire && this.close(),
    );
    this.#moved();
    return this;
  }

  /**
   * Releases the transport, because the frame is gone and may come back: messages are queued until the next
   * {@link open}. Pending requests reject.
   */
  detach(): void {
    if (this.isOver) return;
    this.#release();
    this.#failure = undefined;
    this.#seen = "loading";
    this.#life.restart();
  }

  /** Like {@link detach}, and forgets the tool call: the view receives another one in its next frame. */
  forget(): void {
    if (this.isOver) return;
    this.detach();
    this.#life.restartEmpty();
  }

  #release(): void {
    const wire = this.#wire;
    this.#wire = undefined;
    this.#unanswered.clear();
    clearTimeout(this.#timer);
    this.peer.close();
    wire?.close();
    for (const settle of [...this.#asked]) settle(closedError());
  }

  /**
   * The peer's transport. Each start of the view gets a new one, because a peer that reopens drops its calls.
   */
  #mount(): Transport {
    return {
      start: (receive) => {
        this.#deliver = receive;
      },
      send: (message) => this.#send(message),
      close: () => {
        this.#deliver = () => {};
      },
    };
  }

  #send(message: unknown): void {
    this.#wire?.send(this.isText ? message : inflate(message));
    this.emit("traffic", { direction: "out", message });
    const { id, method, result } = recordOf(message);
    if (method === undefined) this.#unanswered.delete(id);
    if (method !== undefined || result === undefined || id !== this.#initializing) return;
    this.#initializing = undefined;
    this.#flush(this.#life.answered());
    this.#moved();
  }

  /** Consults the lifecycle about a message of the view, and passes on what may be handled. */
  #receive(message: unknown): void {
    this.emit("traffic", { direction: "in", message });
    const { jsonrpc, id, method, params } = recordOf(message);
    if (typeof method === "string" && jsonrpc === "2.0") {
      const verdict = this.#life.received(method);
      if (!verdict.serve) {
        this.emit("report", new VitrineError(verdict.code, verdict.message));
        if (typeof id === "string" || typeof id === "number") {
          this.#send(encodeError(id, INVALID_REQUEST, verdict.message));
        }
        return;
      }
      // Requests to the view's earlier document will not be answered.
      if (verdict.remounted) {
        this.#unanswered.clear();
        this.peer.open(this.#mount());
      }
      if (id !== undefined) this.#unanswered.add(id);
      // An aborted request gets no answer.
      if (method === "notifications/cancelled") this.#unanswered.delete(recordOf(params)["requestId"]);
      this.#flush(verdict.flush);
      this.#moved();
      if (method === "ui/initialize") {
        this.#initializing = id;
        this.#early = this.#dialect === "early" || (this.#dialect !== "standard" && looksEarly(params));
      }
    }
    this.pass(message, this.#deliver);
  }

  /** Delivers a parsed message that the view may send now. */
  protected pass(message: unknown, deliver: (message: unknown) => void): void {
    deliver(message);
  }

  /** Sends a notification, now or when the view is ready. */
  protected tell<M extends Tell>(method: M, params: Params<M>): void {
    for (const message of this.#life.send(method, params)) this.#dispatch(message);
  }

  /** Sends a request, now or when the view is ready. */
  protected ask<M extends RequestFrom<"host">>(
    method: M,
    params: Params<M>,
    options: RequestOptions = {},
  ): Promise<Result<M>> {
    this.#asking++;
    const send = (): Promise<Result<M>> => this.#ask(method, params, options);
    // The view that is leaving would not answer.
    return (this.#suspending?.then(send) ?? send()).finally(() => this.#asking--);
  }

  #ask<M extends RequestFrom<"host">>(
    method: M,
    params: Params<M>,
    options: RequestOptions,
  ): Promise<Result<M>> {
    const { signal } = options;
    return new Promise((resolve, reject) => {
      const settle = (error?: unknown): void => {
        if (!this.#asked.delete(settle)) return;
        signal?.removeEventListener("abort", go);
        if (error) reject(error);
        else resolve(this.peer.request(method, params, options));
      };
      // Also if it was aborted: the peer then rejects it without sending.
      const go = (): void => settle();
      this.#asked.add(settle);
      signal?.addEventListener("abort", go);
      try {
        if (signal?.aborted) return go();
        if (this.#failure) throw closedError();
        for (const message of this.#life.send(method, params, go)) this.#dispatch(message);
        if (this.#asked.has(settle)) this.onwaiting?.();
      } catch (error) {
        settle(error);
      }
    });
  }

  #dispatch({ method, params, key }: Outgoing): void {
    if (key) (key as () => void)();
    else for (const form of this.#forms(method, params)) this.peer.notify(form.method as Tell, form.params);
  }

  /** A message under every name that the view may know. */
  #forms(method: string, params: object): { method: string; params: object }[] {
    const early = this.#early && earlyForm(method, params, this.context);
    return early ? [{ method, params }, early] : [{ method, params }];
  }

  /** Sends the queue. A failure does not affect other messages. */
  #flush(messages: Outgoing[]): void {
    for (const message of messages) this.quietly(() => this.#dispatch(message));
  }

  /** Sends without a listener for errors, while there is a view. */
  protected quietly(send: () => void): void {
    try {
      if (!this.isOver) send();
    } catch (error) {
      this.emit("report", error as VitrineError);
    }
  }

  /** Sets the next deadline, and reports readiness. */
  #moved(): void {
    const { phase, deadline } = this.#life;
    clearTimeout(this.#timer);
    if (deadline !== undefined) {
      this.#timer = setTimeout(() => this.#expire(), Math.min(deadline - this.#now(), LONGEST));
    }
    if (phase === this.#seen) return;
    this.#seen = phase;
    if (phase === "ready" && this.#app) this.emit("ready", this.#app);
  }

  #expire(): void {
    const cause = this.#life.expire();
    // Timers may fire slightly early.
    if (!cause) this.#moved();
    else if (this.isOver) this.close();
    else {
      this.detach();
      this.#failure = cause;
      this.emit("failed", cause);
    }
  }

  /**
   * Tears down the view within its time limit, and closes. Returns why it stopped waiting, if so. Remove the
   * frame then.
   */
  teardown(reason?: string): Promise<Cause | undefined> {
    return (this.#ending ??= this.#finish(reason));
  }

  /**
   * Asks the view to store its state, within the time of a teardown, and releases the transport as {@link detach}
   * does: the view may come back in another frame, and receives its messages again.
   */
  suspend(reason?: string): Promise<void> {
    const leaving = this.#suspend(reason);
    this.#suspending = leaving;
    void leaving.then(() => {
      this.#suspending = undefined;
    });
    return leaving;
  }

  async #suspend(reason: string | undefined): Promise<void> {
    const wire = this.#wire;
    if (this.phase === "ready") await this.#askTeardown(reason, this.#teardownLimit);
    if (wire === this.#wire) this.detach();
  }

  async #askTeardown(reason: string | undefined, timeout: number): Promise<void> {
    const answers = this.#forms("ui/resource-teardown", { reason }).map(({ method, params }) =>
      this.peer.request(method as "ui/resource-teardown", params, { timeout }),
    );
    await Promise.any(answers).catch(({ errors }: AggregateError) => {
      // A view without a handler refuses, which counts as an answer.
      const odd = errors.find(({ code }) => code !== METHOD_NOT_FOUND && code !== "closed");
      if (odd) this.emit("report", odd);
    });
  }

  async #finish(reason?: string): Promise<Cause | undefined> {
    if (this.#life.teardown()) {
      this.#moved();
      await this.#askTeardown(reason, 0);
    }
    this.close();
    return this.cause;
  }

  /** Closes immediately; pending requests reject. */
  close(): void {
    if (this.#seen === "closed") return;
    this.#seen = "closed";
    this.#failure = undefined;
    this.#life.closed();
    this.#release();
    this.emit("closed", undefined);
  }
}

const closedError = (): VitrineError => new VitrineError("closed", "the view was closed");
