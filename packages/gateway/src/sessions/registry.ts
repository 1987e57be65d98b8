/**
 * The browser sessions that live: who may go on with which, for how long, and how many there may be.
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
import {
  type BrowserSession,
  LiveSession,
  newSecret,
  type PageCarrier,
  type SessionHandler,
} from "./carriers/live-session.js";
import type { InputRates } from "./carriers/rate.js";

export type { BrowserSession, LiveSession, PageCarrier, SessionHandler };

/** Whose a new session is. */
export interface AboutSession {
  user: string;
  id: string;
  /**
   * The page had a session that is gone, with the gateway's last process or since: what it asks now may have been asked
   * before, under the same key.
   */
  mayBeOld: boolean;
}

/** Options of a {@link SessionRegistry}. */
export interface SessionRegistryOptions {
  /** Is told of every new session, and answers for it. */
  onsession(session: BrowserSession, about: AboutSession): SessionHandler;
  /** Hears what a handler threw. */
  onerror(cause: unknown): void;
  /** Milliseconds that a session lives without a carrier. */
  grace: number;
  /** Sessions of one user; one that has no page goes when there are more. */
  perUser: number;
  /** Sessions in all; 10,000 by default. */
  total?: number | undefined;
  limits?: Partial<SessionLimits> | undefined;
  rates?: InputRates | undefined;
  now?: (() => number) | undefined;
}

/** Sessions by id. Carriers bring connections to it; it brings them together with the sessions they belong to. */
export class SessionRegistry {
  /** Names this process. */
  readonly epoch = newSecret(9);
  readonly #options: SessionRegistryOptions;
  readonly #limits: SessionLimits;
  readonly #sessions = new Map<string, LiveSession>();
  readonly #byUser = new Map<string, Set<LiveSession>>();
  readonly #sweep: NodeJS.Timeout;
  #isClosed = false;

  constructor(options: SessionRegistryOptions) {
    this.#options = options;
    this.#limits = { ...SESSION_LIMITS, ...options.limits, holdWhenFull: true };
    // One timer for all: a session that waits costs none.
    this.#sweep = setInterval(() => this.sweep(), Math.max(10, Math.min(options.grace / 4, 5000)));
    this.#sweep.unref();
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** What waits to be sent in all sessions, in characters; for metrics. */
  get queued(): number {
    let queued = 0;
    for (const { wire } of this.#sessions.values()) queued += wire.queued;
    return queued;
  }

  /** Milliseconds; not of a day's time, which may be set forwards or back. */
  get now(): number {
    return this.#options.now?.() ?? performance.now();
  }

  /**
   * Takes the first frame of a connection: the carrier is welcomed and goes on with a session, or with a new one; or it
   * is told why not, and undefined is returned.
   *
   * @param user who the connection was authenticated as: a session belongs to one user for ever
   */
  open(frame: string, user: string, carrier: PageCarrier): LiveSession | undefined {
    let hello: Hello | undefined;
    try {
      hello = readHandshake("hello", frame);
    } catch (error) {
      carrier.bye({ code: "version", message: error instanceof Error ? error.message : "no hello" });
      return undefined;
    }
    if (!hello) return refuse(carrier, "malformed", "the first frame must be a hello");
    if (this.#isClosed) return refuse(carrier, "stopping", "the gateway is stopping");
    const known = this.#find(hello, user);
    if (known?.isOld(hello)) return refuse(carrier, "taken-over", "another page goes on with this session");
    if (known && (hello.fresh || known.wire.hasSent(hello.received)))
      return this.#resume(known, hello, carrier);
    // The page remembers another conversation than this one: there is nothing to go on with.
    known?.end("ended", "the page and the gateway do not remember the same");
    if (!this.#hasRoom(user)) return refuse(carrier, "overloaded", "there are too many sessions: close one");
    return this.#begin(user, carrier, hello.session !== undefined);
  }

  /** Ends sessions whose pages did not come back in time. */
  sweep(): void {
    const { now } = this;
    for (const session of this.#sessions.values()) {
      if (session.waitsSince !== undefined && now - session.waitsSince >= this.#options.grace) {
        session.end("ended", "the page did not come back in time");
      }
    }
  }

  /** Ends the sessions of a user who may not come in any more. */
  endUser(user: string): void {
    for (const session of [...(this.#byUser.get(user) ?? [])])
      session.end("ended", "you are not signed in any more");
  }

  /** Ends all sessions, and takes no more. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#sweep);
    for (const session of [...this.#sessions.values()]) session.end("stopping", "the gateway is stopping");
  }

  /** The session that a page wants to go on with; undefined when it is not there, or not this page's. */
  #find(hello: Hello, user: string): LiveSession | undefined {
    if (hello.session === undefined || hello.key === undefined) return undefined;
    const session = this.#sessions.get(hello.session);
    return session?.user === user && session.knows(hello.key) ? session : undefined;
  }

  #resume(session: LiveSession, hello: Hello, carrier: PageCarrier): LiveSession {
    session.carrier?.bye({ code: "taken-over", message: "another page goes on with this session" });
    if (hello.fresh) session.renew(hello.key ?? "");
    this.#welcome(session, carrier, true);
    session.take(carrier, hello.fresh ? 0 : hello.received);
    return session;
  }

  #begin(user: string, carrier: PageCarrier, mayBeOld: boolean): LiveSession {
    const options = this.#options;
    const session: LiveSession = new LiveSession(user, this.#limits, this, options);
    session.onended = () => this.#forget(session);
    this.#sessions.set(session.id, session);
    let own = this.#byUser.get(user);
    if (!own) this.#byUser.set(user, (own = new Set()));
    own.add(session);
    session.handler = options.onsession(session, { user, id: session.id, mayBeOld });
    if (session.isEnded) return session;
    this.#welcome(session, carrier, false);
    session.take(carrier, 0);
    return session;
  }

  #welcome(session: LiveSession, carrier: PageCarrier, resumed: boolean): void {
    const { window, message } = this.#limits;
    carrier.send(
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

  /** Whether one more may begin; the oldest of the user's sessions that have no page makes room. */
  #hasRoom(user: string): boolean {
    const { perUser, total = 10_000 } = this.#options;
    const own = this.#byUser.get(user);
    if ((own?.size ?? 0) < perUser && this.#sessions.size < total) return true;
    for (const session of own ?? []) {
      if (session.waitsSince === undefined) continue;
      session.end("ended", "the same person opened too many others");
      return this.#sessions.size < total;
    }
    return false;
  }

  #forget(session: LiveSession): void {
    this.#sessions.delete(session.id);
    const own = this.#byUser.get(session.user);
    own?.delete(session);
    if (own?.size === 0) this.#byUser.delete(session.user);
  }
}

function refuse(carrier: PageCarrier, code: ByeCode, message: string): undefined {
  carrier.bye({ code, message });
}
