/**
 * The lifecycle of one view (part L), seen by its host, as a state machine. It is pure: it sends nothing, starts no
 * timer and reads no clock of its own; it says what may be sent, in which order, and by when.
 *
 * @module
 */
import { VitrineError } from "./errors.js";
import type { NotificationFrom, Params, RequestFrom } from "./methods.js";
import { sameJson } from "./same-json.js";
import { isToolData } from "./view-lifecycle.js";

/** Why a view was given up on. */
export interface Cause {
  code: "initialize-timeout" | "initialized-timeout" | "teardown-timeout";
  /** A sentence for the person who looks at the frame. */
  message: string;
}

/** Milliseconds that a view has for each step. */
export interface LifecycleLimits {
  /** From the mount to `ui/initialize`. */
  initialize: number;
  /** From the answer to `ui/notifications/initialized`. */
  initialized: number;
  /** From `ui/resource-teardown` to its answer. */
  teardown: number;
}

/** Limits of a host that says nothing else. */
export const DEFAULT_LIMITS: Readonly<LifecycleLimits> = {
  initialize: 10_000,
  initialized: 10_000,
  teardown: 2_000,
};

/**
 * Where a view is in its life, seen by its host:
 * `loading` → `initializing` → `ready` → `closing` → `closed`, or `failed` with a cause.
 */
export type HostPhase = "loading" | "initializing" | "ready" | "closing" | "closed" | "failed";

/** A message that the host may send now. `key` is what the caller gave to recognise a request of its own. */
export interface Outgoing {
  method: NotificationFrom<"host"> | RequestFrom<"host">;
  params: object;
  key?: unknown;
}

/** What to do with a message of the view. */
export type Verdict =
  | {
      serve: true;
      /** What to send before it is served: the queue, when this message made the view ready. */
      flush: Outgoing[];
      /** The view began anew: forget what was asked of its earlier self. */
      remounted: boolean;
    }
  | { serve: false; code: "out-of-order"; message: string };

const TOOL_INPUT_PARTIAL = "ui/notifications/tool-input-partial";
const TOOL_INPUT = "ui/notifications/tool-input";
const TOOL_RESULT = "ui/notifications/tool-result";
const TOOL_CANCELLED = "ui/notifications/tool-cancelled";
const CONTEXT_CHANGED = "ui/notifications/host-context-changed";

/** What a view did not do in time, by where it was. */
const CAUSES: { readonly [P in HostPhase]?: Cause } = {
  loading: {
    code: "initialize-timeout",
    message: "The app never began to talk.",
  },
  initializing: {
    code: "initialized-timeout",
    message: "The app never said that it is ready.",
  },
  closing: {
    code: "teardown-timeout",
    message: "The app did not answer when asked to close.",
  },
};

/** How many messages may wait for a view to become ready. */
const MAX_WAITING = 1000;

/** Options of {@link HostLifecycle}. */
export interface HostLifecycleOptions {
  /** The time, in milliseconds. */
  now: () => number;
  limits?: Partial<LifecycleLimits> | undefined;
}

/**
 * The host's end of a view's life. Ask it before every message: {@link received} for what the view sent,
 * {@link send} for what the host wants to send. It keeps what a view that begins anew must hear again.
 *
 * @example
 * ```ts source="./protocol.examples.ts#hostLifecycle"
 * const life = new HostLifecycle({ now: Date.now });
 * // The host may speak at any time; what the view must not hear yet waits.
 * for (const message of life.send("ui/notifications/tool-input", { arguments: { city: "Rome" } }))
 *   post(message);
 * // For everything that the view sends:
 * const onMessage = (method: string) => {
 *   const verdict = life.received(method);
 *   if (verdict.serve) for (const message of verdict.flush) post(message);
 *   return verdict.serve;
 * };
 * // When its ui/initialize was answered:
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
  /** The view's `ui/initialize` was answered. */
  #answered = false;
  /** The view's time to become ready has begun. */
  #counting = false;
  /** The view said that it is ready, be it before it had the answer. */
  #eager = false;
  #queue: Outgoing[] = [];
  /** The tool call so far: what is sent to the view, and again to one that begins anew. */
  readonly #tool = new Map<string, Outgoing>();

  constructor({ now, limits = {} }: HostLifecycleOptions) {
    this.#now = now;
    this.#limits = limits;
    this.restart();
  }

  get phase(): HostPhase {
    return this.#phase;
  }
  /** Why the view was given up on, or why its teardown was not waited for any longer. */
  get cause(): Cause | undefined {
    return this.#cause;
  }
  /** When to call {@link expire}, if nothing happens before. */
  get deadline(): number | undefined {
    return this.#deadline;
  }

  /** Judges a message of the view, and moves on. */
  received(method: string): Verdict {
    if (/closed|failed/.test(this.#phase)) return refusal("the view was closed");
    if (method === "ui/initialize") return this.#begin();
    if (this.#phase === "loading") {
      return method === "ping" || method.startsWith("ui/notifications/sandbox-")
        ? serve()
        : refusal("ui/initialize comes first");
    }
    // L03, and T02: a view that goes to work without saying so is ready as well.
    const works = method === "ui/notifications/initialized" || !/^ping$|notifications\//.test(method);
    if (this.#phase !== "initializing" || !works) return serve();
    this.#eager = true;
    return serve(this.#becomeReady());
  }

  #begin(): Verdict {
    if (this.#phase === "closing") return refusal("the view is being closed");
    const remounted = this.#phase !== "loading";
    // One that heard the tool call and begins anew hears it again.
    if (this.#phase === "ready") this.#queue = [...this.#tool.values()];
    // One that begins again and again without ever being ready gets no more time for it (L13).
    if (this.#phase !== "initializing") {
      this.#enter("initializing", "initialize");
      this.#counting = false;
    }
    this.#answered = this.#eager = false;
    // The answer carries the whole context: changes that wait are in it.
    this.#queue = this.#queue.filter(({ method }) => method !== CONTEXT_CHANGED);
    return serve([], remounted);
  }

  /**
   * Call when `ui/initialize` was answered: from now on the view may be spoken to, once it is ready (L03), and
   * its time to become ready begins. Returns what to send now, to a view that said so too early.
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
   * Wants to send a message. Returns what to send now: the message, or nothing while it waits for the view
   * (L11).
   *
   * @throws {VitrineError} `out-of-order` for what the view must never hear (D9) and when too much waits, `closed` after the end
   */
  send<M extends Outgoing["method"]>(method: M, params: Params<M>, key?: unknown): Outgoing[] {
    if (/clos|failed/.test(this.#phase)) {
      throw new VitrineError("closed", `${method} cannot be sent: the view was closed`);
    }
    const message: Outgoing = key === undefined ? { method, params } : { method, params, key };
    // S03: what the proxy frame needs to load the view cannot wait for the view.
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
   * Context changes are merged, only the last partial input waits and none beside the input, a notification
   * that says the same waits once; and there is an end to what may wait.
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
      throw new VitrineError("out-of-order", `${method} was not sent: too much waits for the view`);
    }
    this.#queue.push(message);
  }

  /** L04 to L07: partial input, then one input, then one result or cancellation. */
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
   * Begins the end (L08). Returns whether the view must be asked with `ui/resource-teardown`; one that never
   * came up is closed at once.
   */
  teardown(): boolean {
    if (this.#phase !== "ready") {
      if (this.#phase !== "closing") this.closed();
      return false;
    }
    this.#enter("closing", "teardown");
    return true;
  }

  /** The view answered the teardown, or its frame is gone for good. */
  closed(): void {
    if (this.#phase !== "failed") this.#enter("closed");
    this.#queue = [];
  }

  /** The view is expected in another frame, after a failure too. There it hears the tool call from its beginning. */
  restart(): void {
    this.#enter("loading", "initialize");
    this.#cause = undefined;
    this.#queue = [...this.#tool.values()];
  }

  /** Call at {@link deadline}. Returns the cause when the view is out of time (L13). */
  expire(): Cause | undefined {
    if (this.#deadline === undefined || this.#now() < this.#deadline) return undefined;
    this.#cause = CAUSES[this.#phase];
    if (this.#phase !== "closing") this.#enter("failed");
    this.closed();
    return this.#cause;
  }

  /** Moves on. There may be a step that the view has to take in time. */
  #enter(phase: HostPhase, step?: keyof LifecycleLimits): void {
    this.#phase = phase;
    this.#deadline = step && this.#now() + (this.#limits[step] ?? DEFAULT_LIMITS[step]);
  }
}

/** What says the same. A request says it for itself. */
const isSame = (a: Outgoing, b: Outgoing): boolean =>
  a.method === b.method && a.key === undefined && sameJson(a.params, b.params);

const serve = (flush: Outgoing[] = [], remounted = false): Verdict => ({ serve: true, flush, remounted });
const refusal = (message: string): Verdict => ({ serve: false, code: "out-of-order", message });
