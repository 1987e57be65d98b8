/**
 * Keeps a session with the gateway going: dials, dials again, falls back to HTTP, and comes back.
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

/** How it is with the gateway. */
export type GatewayState =
  | { phase: "connecting" }
  /** `resumed`: nothing was lost. Otherwise the session is a new one: the gateway was restarted, or forgot it. */
  | { phase: "open"; over: LineKind; resumed: boolean }
  /** The connection was lost, and is tried again at `retryAt`, in milliseconds since 1970. */
  | { phase: "reconnecting"; retryAt: number }
  /** For good. `unauthorized`: the person must sign in; `closed`: by {@link Gateway.close}; or a code of the gateway's. */
  | { phase: "closed"; reason: string; message: string };

/** How to reach a gateway; options of {@link connectGateway}. */
export interface ConnectionOptions {
  /** Where the gateway's sessions are: its WebSocket, POST and event stream have one address. */
  url: string | URL;
  /** `sessionStorage` by default, if there is one. */
  storage?: SessionStorage | undefined;
  /** In place of the global ones. */
  fetch?: typeof fetch | undefined;
  WebSocket?: typeof WebSocket | undefined;
  /** Hears every change of {@link Gateway.state}. */
  onstate?: ((state: GatewayState) => void) | undefined;
  /** Milliseconds between two looks at whether the gateway is there; 15,000 by default. */
  heartbeat?: number | undefined;
  /** Milliseconds after which a WebSocket is tried again while HTTP is in use; 30,000 by default. */
  upgradeAfter?: number | undefined;
}

/** What happens to a session. */
export interface ConnectionEvents {
  /** The session is new: nothing of what was sent before has an effect on it. */
  renewed(isFirst: boolean): void;
  /** Another page has the session now. */
  takenOver(): void;
  /** There will be no session any more. */
  closed(message: string): void;
}

/** Milliseconds for a dialled line to be welcomed. */
const DIAL_TIMEOUT = 10_000;
/** Milliseconds for a gateway that is asked whether it is there. */
const ANSWER_TIMEOUT = 10_000;
const SHORTEST_WAIT = 100;
/** Short enough that a page is back seconds after its gateway. */
const LONGEST_WAIT = 3_000;
/** Milliseconds for which a line must have held before the next one is dialled as if nothing had been wrong. */
const STEADY = 5000;
/** WebSockets in a row that fail to open before HTTP is tried. */
const SOCKET_FAILURES = 2;
/** What a gateway may say and mean to be called again. */
const TRANSIENT = ["stopping", "overloaded", "ended", "gap"];

/** The page's end of the wire. */
export class Connection {
  readonly session = new Session({ limits: { ...SESSION_LIMITS, queue: 2 * SESSION_LIMITS.message } });
  readonly #options: ConnectionOptions;
  readonly #events: ConnectionEvents;
  readonly #url: URL;
  readonly #dial;
  /** The session to go on with. */
  readonly #keeper: SessionKeeper;
  readonly #listening = new AbortController();
  #state: GatewayState = { phase: "connecting" };
  /** This page has not been welcomed yet. */
  #isFresh = true;
  #line: Line | undefined;
  #dialled: Line | undefined;
  #dialTimer: ReturnType<typeof setTimeout> | undefined;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;
  #heartbeat: ReturnType<typeof setInterval> | undefined;
  #attempts = 0;
  #openedAt = 0;
  #socketFailures = 0;
  /** Nothing was heard since it was asked for. */
  #isSilent = false;
  #patience: ReturnType<typeof setTimeout> | undefined;
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

  /** Dials for the first time. Apart from the constructor, so that whoever made it can hear of it. */
  start(): void {
    this.#connect(this.#kind);
  }

  /** Ends the session at both ends. */
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
    // What a listener throws is the window's to hear, and stops nothing here.
    void (async () => this.#options.onstate?.(state))();
  }

  /** The network is there again, or the person looks: no time to wait for a timer that a browser may have slowed. */
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
      // Whoever answers there does not speak as a gateway does: lost, as below.
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
      // Not the conversation that this page remembers: another one, then.
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
    // A page that says hello on another line takes over from itself, and may hear of it here first.
    const byItself = line === this.#line && this.#dialled !== undefined;
    if (code === "taken-over" && !byItself) {
      this.#keeper.saved = undefined;
      this.#isFresh = true;
      this.session.reset();
      this.#events.takenOver();
      this.#lost(line);
    } else if (byItself || TRANSIENT.includes(code)) this.#lost(line);
    else this.close(code, message);
  }

  /** A line ended, or did not come about. */
  #lost(line: Line, status?: number): void {
    let wait = SHORTEST_WAIT;
    if (line === this.#dialled) {
      this.#stopDialling();
      // Where neither works both are tried in turns: the gateway may just be away.
      this.#socketFailures = line.kind === "websocket" ? this.#socketFailures + 1 : 0;
      // Only an attempt to leave HTTP: that goes on meanwhile.
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
    // Ever later, but for a socket that cannot be opened: HTTP may be all that is needed.
    if (this.#kind === "websocket" || line.kind === "http") {
      wait = Math.min(SHORTEST_WAIT * 2 ** this.#attempts++, LONGEST_WAIT);
    }
    // Not all pages of a gateway that comes back should come at once.
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
    clearTimeout(this.#patience);
    if (line) this.session.detach(line);
    return line;
  }

  /** Whether the gateway is still there: a connection that died without a word looks as if nothing were said. */
  #look(): void {
    this.#isSilent = true;
    this.session.ask();
    clearTimeout(this.#patience);
    this.#patience = setTimeout(
      () => {
        const line = this.#line;
        if (line && this.#isSilent) this.#drop(line);
      },
      Math.min(this.#pause, ANSWER_TIMEOUT),
    );
  }
}
