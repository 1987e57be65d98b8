/**
 * The lifecycle of one view, seen from its host, as a state machine. It is pure: it sends nothing, sets no
 * timers and reads no clock. It decides which messages may be sent, in which order, and by when.
 *
 * @module
 */
import { VitrineError } from "./errors.js";
import type { NotificationFrom, Params, RequestFrom } from "./methods.js";
import { sameJson } from "./same-json.js";
import { isToolData } from "./view-lifecycle.js";

/** Why the host gave up on a view. */
export interface Cause {
  code: "initialize-timeout" | "initialized-timeout" | "teardown-timeout";
  /** A message for the user who sees the frame. */
  message: string;
}

/** Timeouts of each step, in milliseconds. */
export interface LifecycleLimits {
  /** From the mount to `ui/initialize`. */
  initialize: number;
  /** From the answer to `ui/notifications/initialized`. */
  initialized: number;
  /** From `ui/resource-teardown` to its answer. */
  teardown: number;
}

/** Default timeouts. */
export const DEFAULT_LIMITS: Readonly<LifecycleLimits> = {
  initialize: 10_000,
  initialized: 10_000,
  teardown: 2_000,
};

/**
 * State of a view, seen from its host: `loading` → `initializing` → `ready` → `closing` → `closed`, or
 * `failed` with a cause.
 */
export type HostPhase = "loading" | "initializing" | "ready" | "closing" | "closed" | "failed";

/** A message that the host may send now. `key` identifies the caller's own requests. */
export interface Outgoing {
  method: NotificationFrom<"host"> | RequestFrom<"host">;
  params: object;
  key?: unknown;
}

/** How to treat a message from the view. */
export type Verdict =
  | {
      serve: true;
      /** Messages to send first: the queue, if this message made the view ready. */
      flush: Outgoing[];
      /** The view started again: drop pending requests to its earlier document. */
      remounted: boolean;
    }
  | { serve: false; code: "out-of-order"; message: string };

const TOOL_INPUT_PARTIAL = "ui/notifications/tool-input-partial";
const TOOL_INPUT = "ui/notifications/tool-input";
const TOOL_RESULT = "ui/notifications/tool-result";
const TOOL_CANCELLED = "ui/notifications/tool-cancelled";
const CONTEXT_CHANGED = "ui/notifications/host-context-changed";

/** Cause of a timeout, by phase. */
const CAUSES: { readonly [P in HostPhase]?: Cause } = {
  loading: {
    code: "initialize-timeout",
    message: "The app did not start.",
  },
  initializing: {
    code: "initialized-timeout",
    message: "The app did not report that it is ready.",
  },
  closing: {
    code: "teardown-timeout",
    message: "The app did not answer when asked to close.",
  },
};

/** Maximum number of messages queued for a view that is not ready. */
const MAX_WAITING = 1000;

/** Options of {@link HostLifecycle}. */
export interface HostLifecycleOptions {
  /** The current time in milliseconds. */
  now: () => number;
  limits?: Partial<LifecycleLimits> | undefined;
}

/**
 * The host's side of a view's lifecycle. Consult it before every message: {@link received} for messages from
 * the view, {@link send} for messages to it. It keeps the messages that a restarted view must receive again.
 *
 * @example
 * ```ts source="./protocol.examples.ts#hostLifecycle"
 * const life = new HostLifecycle({ now: Date.now });
 * // The host may send at any time. Messages that the view must not receive yet are queued.
 * for (const message of life.send("ui/notifications/tool-input", { arguments: { city: "Rome" } }))
 *   post(message);
 * // For every message from the view:
 * const onMessage = (method: string) => {
 *   const verdict = life.received(method);
 *   if (verdict.serve) for (const message of verdict.flush) post(message);
 *   return verdict.serve;
 * };
 * // After ui/initialize was answered:
 * const onAnswered = () => {
 *   for (const message of life.answered()) post(message);
 * };
 * // At `life.deadline`:
 * const onDeadline = () => {
 *   const cause = life.expire();
 *   if (cause) show(cause.message);
 * };
 * ```
 */
export class HostLifecycle {
  readonly #now: () => number;
  readonly #limits: Partial<LifecycleLimits>;
  #phase: HostPhase = "loading";
  #cause: Cause | undefined;
  #deadline: number | undefined;
  /** The host has answered `ui/initialize`. */
  #answered = false;
  /** The timeout for becoming ready has started. */
  #counting = false;
  /** The view reported that it is ready, possibly before it got the answer. */
  #eager = false;
  #queue: Outgoing[] = [];
  /** The tool call so far. It is sent to the view, and again to a view that restarts. */
  readonly #tool = new Map<string, Outgoing>();

  constructor({ now, limits = {} }: HostLifecycleOptions) {
    this.#now = now;
    this.#limits = limits;
    this.restart();
  }

  get phase(): HostPhase {
    return this.#phase;
  }
  /** Why the host gave up on the view, or stopped waiting for its teardown. */
  get cause(): Cause | undefined {
    return this.#cause;
  }
  /** When to call {@link expire} if nothing happens before. */
  get deadline(): number | undefined {
    return this.#deadline;
  }

  /** The tool call so far: its messages, in the order in which a view receives them. */
  get call(): Outgoing[] {
    return [...this.#tool.values()];
  }

  /** The view will load in another frame, and receives another tool call there. */
  restartEmpty(): void {
    this.#tool.clear();
    this.restart();
  }

  /** Decides on a message from the view, and advances the state. */
  received(method: string): Verdict {
    if (/closed|failed/.test(this.#phase)) return refusal("the view was closed");
    if (method === "ui/initialize") return this.#begin();
    if (this.#phase === "loading") {
      return method === "ping" || method.startsWith("ui/notifications/sandbox-")
        ? serve()
        : refusal("ui/initialize comes first");
    }
    // A view that sends requests without the `initialized` notification counts as ready as well.
    const works = method === "ui/notifications/initialized" || !/^ping$|notifications\//.test(method);
    if (this.#phase !== "initializing" || !works) return serve();
    this.#eager = true;
    return serve(this.#becomeReady());
  }

  #begin(): Verdict {
    if (this.#phase === "closing") return refusal("the view is being closed");
    const remounted = this.#phase !== "loading";
    // A view that restarts receives the tool call again.
    if (this.#phase === "ready") this.#queue = this.call;
    // A view that restarts repeatedly without becoming ready gets no extra time.
    if (this.#phase !== "initializing") {
      this.#enter("initializing", "initialize");
      this.#counting = false;
    }
    this.#answered = this.#eager = false;
    // The answer carries the whole context, so queued context changes are obsolete.
    this.#queue = this.#queue.filter(({ method }) => method !== CONTEXT_CHANGED);
    return serve([], remounted);
  }

  /**
   * Call this after `ui/initialize` was answered. From then on, the view may receive messages once it is
   * ready, and its timeout for becoming ready starts. Returns the messages to send now, if the view reported
   * early that it is ready.
   */
  answered(): Outgoing[] {
    if (this.#phase !== "initializing") return [];
    this.#answered = true;
    if (!this.#counting) this.#enter("initializing", "initialized");
    this.#counting = true;
    return this.#becomeReady();
  }

  #becomeReady(): Outgoing[] {
    if (!this.#answered || !this.#eager) return [];
    this.#enter("ready");
    return this.#queue.splice(0);
  }

  /**
   * Requests to send a message. Returns the messages to send now: this one, or none while it is queued for
   * the view.
   *
   * @throws {VitrineError} `out-of-order` for a message that the view must not receive, or if the queue is
   * full; `closed` after the end
   */
  send<M extends Outgoing["method"]>(method: M, params: Params<M>, key?: unknown): Outgoing[] {
    if (/clos|failed/.test(this.#phase)) {
      throw new VitrineError("closed", `${method} cannot be sent: the view was closed`);
    }
    const message: Outgoing = key === undefined ? { method, params } : { method, params, key };
    // Messages to the proxy frame load the view, so they cannot wait for it.
    if (method.startsWith("ui/notifications/sandbox-")) return [message];
    if (isToolData(method)) {
      this.#checkOrder(method);
      if (method === TOOL_INPUT) this.#tool.delete(TOOL_INPUT_PARTIAL);
      this.#tool.set(method, message);
    }
    if (this.#phase === "ready") return [message];
    this.#enqueue(message);
    return [];
  }

  /**
   * Queues a message. Context changes are merged, only the last partial input is kept (none beside the
   * complete input), and identical notifications are queued once. The queue has a maximum length.
   */
  #enqueue(message: Outgoing): void {
    const { method, params, key } = message;
    const waiting = this.#queue.find((queued) => queued.method === method);
    if (isToolData(method)) {
      this.#queue = this.#queue.filter((queued) => queued.method !== TOOL_INPUT_PARTIAL);
    } else if (waiting && method === CONTEXT_CHANGED) {
      waiting.params = { ...waiting.params, ...params };
      return;
    } else if (key === undefined && this.#queue.some((queued) => isSame(queued, message))) {
      return;
    } else if (this.#queue.length >= MAX_WAITING) {
      throw new VitrineError(
        "out-of-order",
        `${method} was not sent: too many messages are queued for the view`,
      );
    }
    this.#queue.push(message);
  }

  /** Enforces the order: partial input, then one input, then one result or cancellation. */
  #checkOrder(method: string): void {
    const sent = (other: string): boolean => this.#tool.has(other);
    const over = sent(TOOL_RESULT) || sent(TOOL_CANCELLED);
    const ends = method === TOOL_RESULT || method === TOOL_CANCELLED;
    const wrong = ends
      ? (over && "the tool call is over") ||
        (method === TOOL_RESULT && !sent(TOOL_INPUT) && "the input comes first")
      : (over || sent(TOOL_INPUT)) && "the input was sent";
    if (wrong) throw new VitrineError("out-of-order", `${method} was not sent: ${wrong}`);
  }

  /**
   * Starts the teardown. Returns whether to send `ui/resource-teardown` to the view. A view that never became
   * ready is closed immediately.
   */
  teardown(): boolean {
    if (this.#phase !== "ready") {
      if (this.#phase !== "closing") this.closed();
      return false;
    }
    this.#enter("closing", "teardown");
    return true;
  }

  /** The view answered the teardown, or its frame was removed. */
  closed(): void {
    if (this.#phase !== "failed") this.#enter("closed");
    this.#queue = [];
  }

  /**
   * The view will load in another frame, possibly after a failure. There it receives the whole tool call
   * again.
   */
  restart(): void {
    this.#enter("loading", "initialize");
    this.#cause = undefined;
    this.#queue = this.call;
  }

  /** Call this at {@link deadline}. Returns the cause if the view timed out. */
  expire(): Cause | undefined {
    if (this.#deadline === undefined || this.#now() < this.#deadline) return undefined;
    this.#cause = CAUSES[this.#phase];
    if (this.#phase !== "closing") this.#enter("failed");
    this.closed();
    return this.#cause;
  }

  /** Enters a phase. The step, if any, is what the view must do in time. */
  #enter(phase: HostPhase, step?: keyof LifecycleLimits): void {
    this.#phase = phase;
    this.#deadline = step && this.#now() + (this.#limits[step] ?? DEFAULT_LIMITS[step]);
  }
}

/** Whether two queued messages are identical. Requests never are. */
const isSame = (a: Outgoing, b: Outgoing): boolean =>
  a.method === b.method && a.key === undefined && sameJson(a.params, b.params);

const serve = (flush: Outgoing[] = [], remounted = false): Verdict => ({ serve: true, flush, remounted });
const refusal = (message: string): Verdict => ({ serve: false, code: "out-of-order", message });
