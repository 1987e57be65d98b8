/**
 * Keeps a session with the gateway alive: connects, reconnects, falls back to HTTP, and comes back.
 *
 * @module
 */
import {
  type Bye,
  readHandshake,
  SESSION_LIMITS,
  Session,
  type Welcome,
  writeHandshake,
} from "@vitrine/wire";
import { dialHttp } from "./http-line.js";
import type { Line, LineKind } from "./line.js";
import { SessionKeeper, type SessionStorage } from "./saved-session.js";
import { dialSocket } from "./socket-line.js";

/** State of the connection to the gateway. */
export type GatewayState =
  | { phase: "connecting" }
  /** `resumed`: nothing was lost. Otherwise the session is new: the gateway restarted, or dropped it. */
  | { phase: "open"; over: LineKind; resumed: boolean }
  /** The connection was lost, and is retried at `retryAt`, in milliseconds since 1970. */
  | { phase: "reconnecting"; retryAt: number }
  /**
   * Closed for good. `unauthorized`: the user must sign in; `closed`: by {@link Gateway.close}; or a code of
   * the gateway.
   */
  | { phase: "closed"; reason: string; message: string };

/** How to reach a gateway; options of {@link connectGateway}. */
export interface ConnectionOptions {
  /** The address of the gateway's sessions, for WebSocket, POST and event stream alike. */
  url: string | URL;
  /** `sessionStorage` by default, if there is one. */
  storage?: SessionStorage | undefined;
  /** Replace the global ones. */
  fetch?: typeof fetch | undefined;
  WebSocket?: typeof WebSocket | undefined;
  /** Called on every change of {@link Gateway.state}. */
  onstate?: ((state: GatewayState) => void) | undefined;
  /** Milliseconds between heartbeats; 15,000 by default. */
  heartbeat?: number | undefined;
  /** Milliseconds after which a WebSocket is retried while HTTP is in use; 30,000 by default. */
  upgradeAfter?: number | undefined;
}

/** Events of a session. */
export interface ConnectionEvents {
  /** The session is new: messages from before have no effect on it. */
  renewed(isFirst: boolean): void;
  /** Another page has taken over the session. */
  takenOver(): void;
  /** There will be no session any more. */
  closed(message: string): void;
}

/** Timeout of a connection's handshake, in milliseconds. */
const DIAL_TIMEOUT = 10_000;
/** Timeout of a heartbeat, in milliseconds. */
const ANSWER_TIMEOUT = 10_000;
const SHORTEST_WAIT = 100;
/** Maximum milliseconds between attempts, so that a page is back seconds after its gateway. */
const LONGEST_WAIT = 3_000;
/** Milliseconds that a connection must have lasted before the next retry starts without delay. */
const STEADY = 5000;
/** Consecutive WebSocket failures before HTTP is tried. */
const SOCKET_FAILURES = 2;
/** Codes of a gateway's `bye` after which a page reconnects. */
const TRANSIENT = ["stopping", "overloaded", "ended", "gap", "taken-over"];

/** The page's side of the connection. */
export class PageConnection {
  readonly session = new Session({ limits: { ...SESSION_LIMITS, queue: 2 * SESSION_LIMITS.message } });
  readonly #options: ConnectionOptions;
  readonly #events: ConnectionEvents;
  readonly #url: URL;
  readonly #dial;
  /** The session to resume. */
  readonly #keeper: SessionKeeper;
  readonly #listening = new AbortController();
  #state: GatewayState = { phase: "connecting" };
  /** Whether this page has not been welcomed yet. */
  #isFresh = true;
  #line: Line | undefined;
  #dialled: Line | undefined;
  #dialTimer: ReturnType<typeof setTimeout> | undefined;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;
  #heartbeat: ReturnType<typeof setInterval> | undefined;
  #attempts = 0;
  #openedAt = 0;
  #socketFailures = 0;
  /** Whether nothing arrived since the last ping. */
  #isSilent = false;
  #answerTimer: ReturnType<typeof setTimeout> | undefined;
  messageLimit = Number.POSITIVE_INFINITY;

  constructor(options: ConnectionOptions, events: ConnectionEvents) {
    this.#options = options;
    this.#events = events;
    this.#url = new URL(options.url, globalThis.location?.href);
    this.#dial = {
      websocket: dialSocket(options.WebSocket ?? WebSocket),
      http: dialHttp(options.fetch ?? ((...args) => fetch(...args))),
    };
    this.#keeper = new SessionKeeper(options.storage, this.#url);
    this.#listen();
  }

  get state(): GatewayState {
    return this.#state;
  }

  /** Connects for the first time. Separate from the constructor, so that its owner can add listeners. */
  start(): void {
    this.#connect(this.#kind);
  }

  /** Ends the session on both sides. */
  close(reason = "closed", message = "the page closed its connection"): void {
    if (this.#state.phase === "closed") return;
    this.#listening.abort();
    clearTimeout(this.#retryTimer);
    this.#stopDialling();
    const line = this.#release();
    line?.drop(writeHandshake("bye", { code: "closed", message }));
    this.session.reset();
    this.#keeper.saved = undefined;
    this.#become({ phase: "closed", reason, message });
    this.#events.closed(message);
  }

  get #pause(): number {
    return this.#options.heartbeat ?? 15_000;
  }

  get #kind(): LineKind {
    return this.#socketFailures < SOCKET_FAILURES ? "websocket" : "http";
  }

  #become(state: GatewayState): void {
    this.#state = state;
    // Errors of a listener go to the window, and stop nothing here.
    void (async () => this.#options.onstate?.(state))();
  }

  /**
   * Reconnects at once when the network is back or the page becomes visible, because a browser may have
   * slowed the timer.
   */
  #listen(): void {
    const { signal } = this.#listening;
    const wake = (): void => {
      if (globalThis.document?.visibilityState === "hidden") return;
      if (this.#line) this.#look();
      else if (!this.#dialled) this.#connect(this.#kind);
    };
    globalThis.addEventListener?.("online", wake, { signal });
    globalThis.document?.addEventListener("visibilitychange", wake, { signal });
  }

  #connect(kind: LineKind): void {
    clearTimeout(this.#retryTimer);
    this.#stopDialling();
    const { received } = this.session;
    const hello = { version: 1 as const, received, fresh: this.#isFresh, ...this.#keeper.saved };
    this.#dialTimer = setTimeout(() => {
      const line = this.#dialled;
      if (line) this.#drop(line);
    }, DIAL_TIMEOUT);
    this.#dialled = this.#dial[kind](this.#url, writeHandshake("hello", hello), {
      frame: (line, frame) => this.#receive(line, frame),
      closed: (line, status) => this.#lost(line, status),
    });
  }

  #stopDialling(): void {
    clearTimeout(this.#dialTimer);
    this.#dialled?.drop();
    this.#dialled = undefined;
  }

  #receive(line: Line, frame: string): void {
    this.#isSilent = false;
    let bye: Bye | undefined;
    let welcome: Welcome | undefined;
    try {
      bye = readHandshake("bye", frame);
      welcome = line === this.#dialled ? readHandshake("welcome", frame) : undefined;
    } catch {
      // The other side does not speak the gateway's protocol: treated as lost, as below.
    }
    if (bye) this.#refused(line, bye);
    else if (line === this.#line) this.session.receive(line, frame);
    else if (welcome) this.#welcomed(line, welcome);
    else this.#drop(line);
  }

  #drop(line: Line): void {
    line.drop();
    this.#lost(line);
  }

  #welcomed(line: Line, welcome: Welcome): void {
    const { session, key, resumed, received, limits } = welcome;
    const isFirst = this.#isFresh;
    const goesOn = resumed && !isFirst;
    if (goesOn && !this.session.hasSent(received)) {
      // Not the session that this page remembers: start a new one.
      this.#keeper.saved = undefined;
      this.#drop(line);
      return;
    }
    clearTimeout(this.#dialTimer);
    this.#dialled = undefined;
    this.#release()?.drop();
    this.#keeper.saved = { session, key };
    this.#isFresh = false;
    this.#openedAt = Date.now();
    if (line.kind === "websocket") this.#socketFailures = 0;
    this.messageLimit = limits.message;
    this.#line = line;
    this.#heartbeat = setInterval(() => this.#look(), this.#pause);
    if (!goesOn) this.session.reset();
    this.session.attach(line, { received: goesOn ? received : 0 });
    if (!goesOn) this.#events.renewed(isFirst);
    this.#become({ phase: "open", over: line.kind, resumed });
    if (line.kind === "http") this.#retry("websocket", this.#options.upgradeAfter ?? 30_000);
  }

  #refused(line: Line, { code, message }: Bye): void {
    if (line !== this.#line && line !== this.#dialled) return;
    line.drop();
    // Only the answer to a dial is final: another page has changed the key. On the connection in use, the page
    // may have taken over from itself, over a connection that it is opening, or that broke.
    if (code === "taken-over" && line === this.#dialled) {
      this.#keeper.saved = undefined;
      this.#isFresh = true;
      this.session.reset();
      this.#events.takenOver();
      this.#lost(line);
    } else if (TRANSIENT.includes(code)) this.#lost(line);
    else this.close(code, message);
  }

  /** A connection ended, or could not be opened. */
  #lost(line: Line, status?: number): void {
    let wait = SHORTEST_WAIT;
    if (line === this.#dialled) {
      this.#stopDialling();
      // If neither works, both are tried alternately: the gateway may just be away.
      this.#socketFailures = line.kind === "websocket" ? this.#socketFailures + 1 : 0;
      // Only an attempt to leave HTTP, which continues meanwhile.
      if (this.#line) {
        this.#retry("websocket", this.#options.upgradeAfter ?? 30_000);
        return;
      }
    } else if (line === this.#line) {
      this.#release();
      if (Date.now() - this.#openedAt > STEADY) this.#attempts = 0;
    } else return;
    if (status === 401 || status === 403) {
      this.close("unauthorized", "sign in to the gateway again");
      return;
    }
    // Backs off, except for a socket that cannot be opened: HTTP may work at once.
    if (this.#kind === "websocket" || line.kind === "http") {
      wait = Math.min(SHORTEST_WAIT * 2 ** this.#attempts++, LONGEST_WAIT);
    }
    // Jitter, so that not all pages reconnect to a restarted gateway at once.
    wait *= 0.5 + Math.random() / 2;
    if (this.#state.phase !== "connecting") {
      this.#become({ phase: "reconnecting", retryAt: Date.now() + wait });
    }
    if (!this.#dialled) this.#retry(this.#kind, wait);
  }

  #retry(kind: LineKind, wait: number): void {
    clearTimeout(this.#retryTimer);
    this.#retryTimer = setTimeout(() => this.#connect(kind), wait);
  }

  #release(): Line | undefined {
    const line = this.#line;
    this.#line = undefined;
    clearInterval(this.#heartbeat);
    clearTimeout(this.#answerTimer);
    if (line) this.session.detach(line);
    return line;
  }

  /** Checks whether the gateway is still there: a connection that died silently looks idle. */
  #look(): void {
    this.#isSilent = true;
    this.session.ask();
    clearTimeout(this.#answerTimer);
    this.#answerTimer = setTimeout(
      () => {
        const line = this.#line;
        if (line && this.#isSilent) this.#drop(line);
      },
      Math.min(this.#pause, ANSWER_TIMEOUT),
    );
  }
}
