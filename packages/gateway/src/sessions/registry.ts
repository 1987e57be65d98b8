/**
 * The registry of browser sessions: who may resume which session, for how long, and how many there may be.
 *
 * @module
 */
import {
  type ByeCode,
  type Hello,
  readHandshake,
  SESSION_LIMITS,
  type SessionLimits,
  writeHandshake,
} from "@vitrine/wire";
import { capacity } from "../http/capacity.js";
import {
  type BrowserSession,
  type CarriedSession,
  LiveSession,
  newSecret,
  type PageTransport,
  type SessionHandler,
} from "./transports/live-session.js";
import { INPUT_RATES, InputRate, type InputRates } from "./transports/rate.js";

export type { BrowserSession, CarriedSession, LiveSession, PageTransport, SessionHandler };

/** The owner of a new session. */
export interface AboutSession {
  user: string;
  id: string;
  /**
   * Whether the page had an earlier session that is gone: its requests may have been sent before, with the
   * same keys.
   */
  mayBeOld: boolean;
}

/** Options of a {@link SessionRegistry}. */
export interface SessionRegistryOptions {
  /** Called for every new session; returns its handler. */
  onsession(session: BrowserSession, about: AboutSession): SessionHandler;
  /** Whether a user gets no new session, because the gateway is stopping. Existing ones may be resumed. */
  refuses?(user: string): boolean;
  /** Whether this process may act now: a node without its lease may not. Frames of pages are not taken then. */
  mayServe?: (() => boolean) | undefined;
  /** Called with errors of handlers. */
  onerror(cause: unknown): void;
  /** Milliseconds that a session survives without a transport. */
  grace: number;
  /** Maximum sessions of a user. Beyond it, one without a page ends. */
  perUser: number;
  /** Maximum sessions in total; by default as many as fit into this process, see {@link capacity}. */
  total?: number | undefined;
  limits?: Partial<SessionLimits> | undefined;
  rates?: InputRates | undefined;
  now?: (() => number) | undefined;
}

const STOPPING = "the gateway is stopping";

/** Sessions by id. Connects transports to their sessions. */
export class SessionRegistry {
  /** Identifies this process. */
  readonly epoch = newSecret(9);
  readonly #options: SessionRegistryOptions;
  readonly #limits: SessionLimits;
  readonly #sessions = new Map<string, LiveSession>();
  readonly #byUser = new Map<string, Set<LiveSession>>();
  /** Limits of what each user sends, in all sessions together. */
  readonly #rates = new Map<string, InputRate>();
  readonly #sweep: NodeJS.Timeout;
  readonly #total: number;
  #isClosed = false;

  constructor(options: SessionRegistryOptions) {
    this.#options = options;
    this.#total = options.total ?? capacity().sessions;
    this.#limits = { ...SESSION_LIMITS, ...options.limits, holdWhenFull: true };
    // A single timer for all sessions.
    this.#sweep = setInterval(() => this.sweep(), Math.max(10, Math.min(options.grace / 4, 5000)));
    this.#sweep.unref();
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Characters in the send queues of all sessions; for metrics. */
  get queued(): number {
    let queued = 0;
    for (const { wire } of this.#sessions.values()) queued += wire.queued;
    return queued;
  }

  /** Milliseconds of a monotonic clock. */
  get now(): number {
    return this.#options.now?.() ?? performance.now();
  }

  /**
   * Handles the first frame of a connection: resumes a session or starts a new one, and sends a welcome; or
   * sends the reason for a refusal, and returns undefined.
   *
   * @param user the authenticated user: a session belongs to one user permanently
   */
  open(frame: string, user: string, transport: PageTransport): LiveSession | undefined {
    let hello: Hello | undefined;
    try {
      hello = readHandshake("hello", frame);
    } catch (error) {
      transport.bye({ code: "version", message: error instanceof Error ? error.message : "invalid hello" });
      return undefined;
    }
    if (!hello) return refuse(transport, "malformed", "the first frame must be a hello");
    if (this.#isClosed) return refuse(transport, "stopping", STOPPING);
    const known = this.#find(hello, user);
    if (known?.isOld(hello))
      return refuse(transport, "taken-over", "another page has taken over this session");
    if (known && (hello.fresh || known.wire.hasSent(hello.received)))
      return this.#resume(known, hello, transport);
    if (this.#options.refuses?.(user)) return refuse(transport, "stopping", STOPPING);
    // The page and the gateway have lost different frames, so the session cannot be resumed.
    known?.end("ended", "the session cannot be resumed: frames were lost");
    const refusal = this.#refusal(user);
    if (refusal !== undefined) return refuse(transport, "overloaded", refusal);
    return this.#begin(user, transport, hello.session !== undefined);
  }

  /** Ends sessions whose pages did not return in time. */
  sweep(): void {
    const { now } = this;
    for (const session of this.#sessions.values()) {
      if (session.waitsSince !== undefined && now - session.waitsSince >= this.#options.grace) {
        session.end("ended", "the page did not return in time");
      }
    }
  }

  /**
   * Ends the sessions of a user: who lost access, whose pages should continue elsewhere, or whose state has moved to another node.
   */
  endUser(user: string, code: "ended" | "stopping" = "ended", message?: string): void {
    const why = message ?? (code === "ended" ? "you are no longer signed in" : STOPPING);
    for (const session of [...(this.#byUser.get(user) ?? [])]) session.end(code, why);
  }

  /** Lets the pages of a user connect again. Their sessions stay. */
  dismiss(user: string): void {
    for (const session of this.#byUser.get(user) ?? []) session.leave();
  }

  /** The users who have sessions. */
  get users(): string[] {
    return [...this.#byUser.keys()];
  }

  hasSessions(user: string): boolean {
    return this.#byUser.has(user);
  }

  /** Whether every connected page of a user has been sent everything. */
  isFlushed(user: string): boolean {
    for (const { isConnected, queuedBytes } of this.#byUser.get(user) ?? [])
      if (isConnected && queuedBytes > 0) return false;
    return true;
  }

  /** Ends all sessions, and accepts no more. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#sweep);
    for (const session of [...this.#sessions.values()]) session.end("stopping", STOPPING);
  }

  /** The session that a page wants to resume; undefined if it does not exist, or belongs to another page. */
  #find(hello: Hello, user: string): LiveSession | undefined {
    if (hello.session === undefined || hello.key === undefined) return undefined;
    const session = this.#sessions.get(hello.session);
    return session?.user === user && session.knows(hello.key) ? session : undefined;
  }

  #resume(session: LiveSession, hello: Hello, transport: PageTransport): LiveSession {
    session.transport?.bye({ code: "taken-over", message: "another page has taken over this session" });
    if (hello.fresh) session.renew(hello.key ?? "");
    this.#welcome(session, transport, true);
    session.take(transport, hello.fresh ? 0 : hello.received);
    return session;
  }

  #begin(user: string, transport: PageTransport, mayBeOld: boolean): LiveSession {
    const options = this.#options;
    const rate = this.#rates.get(user) ?? new InputRate(options.rates ?? INPUT_RATES, this.now);
    this.#rates.set(user, rate);
    const session: LiveSession = new LiveSession(user, this.#limits, this, {
      rate,
      mayServe: options.mayServe,
      onerror: options.onerror,
    });
    session.onended = () => this.#forget(session);
    this.#sessions.set(session.id, session);
    let own = this.#byUser.get(user);
    if (!own) this.#byUser.set(user, (own = new Set()));
    own.add(session);
    session.handler = options.onsession(session, { user, id: session.id, mayBeOld });
    if (session.isEnded) return session;
    this.#welcome(session, transport, false);
    session.take(transport, 0);
    return session;
  }

  #welcome(session: LiveSession, transport: PageTransport, resumed: boolean): void {
    const { window, message } = this.#limits;
    transport.send(
      writeHandshake("welcome", {
        session: session.id,
        key: session.key,
        epoch: this.epoch,
        received: session.wire.received,
        resumed,
        grace: this.#options.grace,
        limits: { window, message },
      }),
    );
  }

  /** The reason why no other session may start. Ends the user's oldest session without a page if necessary. */
  #refusal(user: string): string | undefined {
    const { perUser } = this.#options;
    const own = this.#byUser.get(user);
    const isCrowded = (own?.size ?? 0) >= perUser;
    if (!isCrowded && this.#sessions.size < this.#total) return undefined;
    for (const session of own ?? []) {
      if (session.waitsSince === undefined) continue;
      session.end("ended", "the user opened too many other sessions");
      break;
    }
    if ((own?.size ?? 0) >= perUser)
      return `you have ${perUser} sessions, which is the limit of "session.perUser": close a page`;
    if (this.#sessions.size >= this.#total)
      return `the gateway has ${this.#total} sessions, which is the limit of "session.total": try again in some seconds`;
    return undefined;
  }

  #forget(session: LiveSession): void {
    this.#sessions.delete(session.id);
    const own = this.#byUser.get(session.user);
    own?.delete(session);
    if (own?.size !== 0) return;
    this.#byUser.delete(session.user);
    this.#rates.delete(session.user);
  }
}

function refuse(transport: PageTransport, code: ByeCode, message: string): undefined {
  transport.bye({ code, message });
}
