/**
 * The host's end of the channel to one view: a checked peer that asks the lifecycle before every message.
 *
 * @module
 */

import type { AppDetails } from "@vitrine/guard";
import {
  acceptText,
  type Cause,
  CheckedPeer,
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
  type Transport,
  VitrineError,
} from "@vitrine/protocol";
import { type BridgeTransport, inflate } from "./bridge-transport.js";
import { type Dialect, earlyForm, looksEarly } from "./dialect.js";
import { Emitter } from "./emitter.js";

/** Options of a {@link HostChannel}. */
export interface HostChannelOptions {
  /** How long the view has for each step. */
  limits?: Partial<LifecycleLimits> | undefined;
  /** Whether older names of messages are sent too (T06); `auto` by default. */
  dialect?: Dialect | undefined;
}

type Tell = NotificationFrom<"host">;

/** The longest timeout, 11 days: a timer that is set for longer than it can count fires at once. */
const LONGEST = 1e9;

/** One view's channel: what a `Bridge` is made of. */
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
  /** Messages go to the view as text. */
  protected isText = false;
  #deliver: (message: unknown) => void = () => {};
  /** When the transport was opened. */
  #start = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #seen: HostPhase = "loading";
  /** The id of the `ui/initialize` that waits for its answer. */
  #initializing: unknown;
  #ending: Promise<Cause | undefined> | undefined;

  constructor({ limits, dialect }: HostChannelOptions) {
    super();
    this.#dialect = dialect;
    this.#life = new HostLifecycle({ now: () => this.#now(), limits });
    this.peer.onreport = (error) => this.emit("report", error);
    this.peer.handle("ui/initialize", (params) => this.greet((this.#app = params)));
  }

  /** A view's time begins when its transport is opened. */
  #now(): number {
    return this.#wire ? performance.now() - this.#start : 0;
  }

  /** Answers `ui/initialize`. */
  protected abstract greet(app: AppDetails): Result<"ui/initialize">;
  /** What the view knows of where it runs. */
  abstract readonly context: HostContext;

  /** Where the view is in its life. */
  get phase(): HostPhase {
    return this.#failure ? "failed" : this.#life.phase;
  }
  /** Why the view was given up on, or not waited for at its end. */
  get cause(): Cause | undefined {
    return this.#failure ?? this.#life.cause;
  }
  /** What the view said of itself, once it did. */
  get app(): AppDetails | undefined {
    return this.#app;
  }
  protected get isOver(): boolean {
    return this.phase.startsWith("clos");
  }

  /**
   * Opens the channel; call before the view loads. Called again with another transport, the view is expected in a
   * new frame, and hears there what it has heard before; so it is after {@link detach}, and after a failure.
   *
   * @throws {VitrineError} `closed` after the end
   */
  open(transport: BridgeTransport): this {
    if (this.isOver) throw closedError();
    if (this.#wire || this.#failure) this.detach();
    this.#start = performance.now();
    this.isText = !!transport.carriesText;
    // T03: a view that writes text is answered in text.
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
   * Lets go of the transport, because the frame is gone and may come back: what is sent meanwhile waits for the next
   * {@link open}. Whoever waits for an answer is told that there is none.
   */
  detach(): void {
    if (this.isOver) return;
    this.#release();
    this.#failure = undefined;
    this.#seen = "loading";
    this.#life.restart();
  }

  #release(): void {
    const wire = this.#wire;
    this.#wire = undefined;
    clearTimeout(this.#timer);
    this.peer.close();
    wire?.close();
    for (const settle of [...this.#asked]) settle(closedError());
  }

  /** The peer's end of the wire. One for each time the view begins: a peer that reopens forgets its calls. */
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
    const { id, method, result } = Object(message) as Record<string, unknown>;
    if (method !== undefined || result === undefined || id !== this.#initializing) return;
    this.#initializing = undefined;
    this.#flush(this.#life.answered());
    this.#moved();
  }

  /** Asks the lifecycle about a message of the view, and passes on what may be served (C11). */
  #receive(message: unknown): void {
    this.emit("traffic", { direction: "in", message });
    const { jsonrpc, id, method, params } = Object(message) as Record<string, unknown>;
    if (typeof method === "string" && jsonrpc === "2.0") {
      const verdict = this.#life.received(method);
      if (!verdict.serve) {
        this.emit("report", new VitrineError(verdict.code, verdict.message));
        if (typeof id === "string" || typeof id === "number") {
          this.#send(encodeError(id, INVALID_REQUEST, verdict.message));
        }
        return;
      }
      // What the view's earlier self was asked will not be answered.
      if (verdict.remounted) this.peer.open(this.#mount());
      this.#flush(verdict.flush);
      this.#moved();
      if (method === "ui/initialize") {
        this.#initializing = id;
        this.#early = this.#dialect === "early" || (this.#dialect !== "standard" && looksEarly(params));
      }
    }
    this.#deliver(message);
  }

  /** Sends a notification, now or when the view is ready (L11). */
  protected tell<M extends Tell>(method: M, params: Params<M>): void {
    for (const message of this.#life.send(method, params)) this.#dispatch(message);
  }

  /** Sends a request, now or when the view is ready. */
  protected ask<M extends RequestFrom<"host">>(
    method: M,
    params: Params<M>,
    options: RequestOptions = {},
  ): Promise<Result<M>> {
    const { signal } = options;
    return new Promise((resolve, reject) => {
      const settle = (error?: unknown): void => {
        if (!this.#asked.delete(settle)) return;
        signal?.removeEventListener("abort", go);
        if (error) reject(error);
        else resolve(this.peer.request(method, params, options));
      };
      // When it was aborted, too: the peer sends no such request, and rejects it.
      const go = (): void => settle();
      this.#asked.add(settle);
      signal?.addEventListener("abort", go);
      try {
        if (signal?.aborted) return go();
        if (this.#failure) throw closedError();
        for (const message of this.#life.send(method, params, go)) this.#dispatch(message);
      } catch (error) {
        settle(error);
      }
    });
  }

  #dispatch({ method, params, key }: Outgoing): void {
    if (key) (key as () => void)();
    else for (const form of this.#forms(method, params)) this.peer.notify(form.method as Tell, form.params);
  }

  /** A message under every name that the view may know it by (T06). */
  #forms(method: string, params: object): { method: string; params: object }[] {
    const early = this.#early && earlyForm(method, params, this.context);
    return early ? [{ method, params }, early] : [{ method, params }];
  }

  /** Sends what waited. One that cannot be sent stops no other. */
  #flush(messages: Outgoing[]): void {
    for (const message of messages) this.quietly(() => this.#dispatch(message));
  }

  /** Sends what nobody waits for, as long as there is a view. */
  protected quietly(send: () => void): void {
    try {
      if (!this.isOver) send();
    } catch (error) {
      this.emit("report", error as VitrineError);
    }
  }

  /** Sets the next deadline, and says when the view became ready. */
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
    // Timers may fire a little early.
    if (!cause) this.#moved();
    else if (this.isOver) this.close();
    else {
      this.detach();
      this.#failure = cause;
      this.emit("failed", cause);
    }
  }

  /**
   * Asks the view to finish, waits for it within its limit, and closes (L08). Returns why it was not waited for any
   * longer, if so. Remove the frame then.
   */
  teardown(reason?: string): Promise<Cause | undefined> {
    return (this.#ending ??= this.#finish(reason));
  }

  async #finish(reason?: string): Promise<Cause | undefined> {
    if (this.#life.teardown()) {
      this.#moved();
      const answers = this.#forms("ui/resource-teardown", { reason }).map(({ method, params }) =>
        this.peer.request(method as "ui/resource-teardown", params, { timeout: 0 }),
      );
      await Promise.any(answers).catch(({ errors }: AggregateError) => {
        // D12: a view without a handler refuses, which is as good as an answer.
        const odd = errors.find(({ code }) => code !== METHOD_NOT_FOUND && code !== "closed");
        if (odd) this.emit("report", odd);
      });
    }
    this.close();
    return this.cause;
  }

  /** Closes at once; whoever waits is told. */
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
