/**
 * Preloads apps.
 *
 * @module
 */
import type { ProxyReport } from "../proxy-transport.js";
import { browserContext } from "./browser-context.js";
import { type FrameView, openFrame, type ProxyFrame, spares } from "./proxy-frame.js";

/** Options of {@link warm}. */
export interface WarmOptions {
  /**
   * Starts the app itself in the background. It waits for its host's first answer until it is shown; if it is
   * not shown within 20 seconds, it is stopped. An app with granted permissions such as the camera is not
   * started in the background.
   */
  run?: boolean;
  /**
   * With `run`: called when the app has sent its first message and can be shown quickly; immediately if it is
   * not started in the background, and when it cannot be.
   */
  onstarted?: (() => void) | undefined;
}

/** Milliseconds that an app may run unseen: its own timeout for a silent host is unknown. */
const SHELF_LIFE = 20_000;
/** Maximum messages and characters of an unseen app: it has nothing to send except its handshake. */
const MOST = 50;
const LONGEST = 1e5;

/**
 * Maximum number of hidden frames: a page has about a thousand windows for all, and a server may have a
 * hundred apps.
 */
const MOST_SPARES = 20;

/** Preloaded frames by the address of their proxy page, the last requested at the end. */
const shelves = new Map<string, Spare>();

/**
 * Preloads a view: starts its process, loads its proxy page and fetches its document, all hidden. The
 * document stays text: none of its scripts run, and it loads nothing. Call it when a server with apps was
 * connected.
 *
 * With `run` the app itself is started as well. Call it when the app will almost certainly be shown: for
 * example when the model starts to write a call of its tool.
 *
 * The last twenty are kept. Returns a function that releases this one, for when its server is gone.
 *
 * @example
 * ```ts source="../frame.examples.ts#warm"
 * // After the server was connected, and its UI resources were read and registered with the sandbox:
 * for (const view of views) warm(view);
 * // Later, when the model starts to write a call of a tool with an app:
 * warm(next, { run: true });
 * ```
 */
export function warm(view: FrameView, { run = false, onstarted }: WarmOptions = {}): () => void {
  // If a frame cannot be moved, another one would be shown and this one would run for nothing.
  const mayRun = run && !view.allow && "moveBefore" in document.body;
  let spare = shelves.get(view.src);
  // A frame whose process has ended is useless; one whose proxy has not loaded cannot be started: a new one
  // is as quick.
  if (spare && (spare.isDead || (mayRun && !spare.canRun))) {
    spare.drop();
    spare = undefined;
  }
  const kept = spare ?? new Spare(view, mayRun ? "" : "#later");
  shelves.delete(view.src);
  shelves.set(view.src, kept);
  if (mayRun) kept.run(onstarted);
  else onstarted?.();
  const [oldest] = shelves.values();
  if (shelves.size > MOST_SPARES) oldest?.drop();
  // Warms up browser lookups that a frame needs at its start.
  browserContext();
  return () => void kept.drop();
}

type Movable = Element & { moveBefore?(node: Node, child: Node | null): void };

/** A hidden, preloaded frame. */
class Spare {
  readonly #view: FrameView;
  readonly #shelf = document.createElement("div");
  readonly #frame: ProxyFrame;
  /** Aborted when the wait of a running app ends. */
  #waiting: AbortController | undefined;
  #start = (): void => {};
  /** Resolves when its app has sent its first message, or nobody waits for it any more. */
  readonly #started = new Promise<void>((resolve) => {
    this.#start = resolve;
  });

  constructor(view: FrameView, hash: string) {
    this.#view = view;
    this.#shelf.hidden = true;
    document.body.append(this.#shelf);
    this.#frame = openFrame(view, this.#shelf, hash);
    const { transport } = this.#frame;
    this.#frame.begin = () => this.#load();
    transport.onreport = (report) => this.#dropIfBad(report);
    shelves.set(view.src, this);
    spares.set(view.src, (place, { html }) => (html === view.html ? this.#move(place) : undefined));
  }

  /** Shows the view's document. */
  #load(): void {
    const { html } = this.#view;
    const { transport } = this.#frame;
    if (html === undefined) transport.tell("load");
    else transport.tell("resource-ready", { html });
  }

  /** Whether its app can be started, or is running. */
  get canRun(): boolean {
    return !!this.#waiting || this.#frame.transport.isReady;
  }

  /** Whether the proxy had loaded and its process has ended: otherwise it has a frame. */
  get isDead(): boolean {
    const { iframe, transport } = this.#frame;
    return transport.isReady && !iframe.contentWindow?.length;
  }

  /** Removes it; false if it is in use. A failed preload may load when it is needed. */
  drop(): boolean {
    if (!this.#leave()) return false;
    this.#frame.transport.close();
    this.#shelf.remove();
    return true;
  }

  #leave(): boolean {
    const { src } = this.#view;
    if (shelves.get(src) !== this) return false;
    shelves.delete(src);
    spares.delete(src);
    this.#waiting?.abort();
    return true;
  }

  #dropIfBad({ code, by }: ProxyReport): void {
    if (!by && /^(load-failed|navigated-away|flooded|too-large)$/.test(code)) this.drop();
  }

  /** Moves the frame into place. */
  #move(place: Movable): ProxyFrame | undefined {
    // An iframe that is moved in any other way reloads. One that cannot be moved still keeps its process
    // alive.
    const canMove = place.isConnected && place.ownerDocument === document && place.moveBefore;
    if (canMove && this.#frame.transport.isReady && !this.isDead) {
      place.moveBefore?.(this.#frame.iframe, null);
      this.#leave();
      this.#shelf.remove();
      return this.#frame;
    }
    // An app must not run twice; its process is kept for the one that is created now.
    if (this.#waiting) setTimeout(() => this.drop());
    return undefined;
  }

  /** Starts the app. Its messages are kept for the frame that shows it. */
  run(onstarted?: () => void): void {
    void this.#started.then(onstarted);
    if (this.#waiting) return;
    const waiting = new AbortController();
    this.#waiting = waiting;
    const { transport, iframe } = this.#frame;
    // Not hidden, or the app would have no size and would not be drawn.
    this.#shelf.hidden = false;
    this.#shelf.inert = true;
    Object.assign(this.#shelf.style, {
      position: "fixed",
      inset: "0 auto auto 0",
      width: "min(100vw,720px)",
      height: "150px",
      opacity: "0",
      zIndex: "-1",
    });
    Object.assign(iframe.style, { border: "0", width: "100%", height: "100%" });

    const said: unknown[] = [];
    const reports: ProxyReport[] = [];
    let left = LONGEST;
    const keep = <T>(list: T[], item: T): void => {
      left -= JSON.stringify(item).length;
      if (left < 0 || list.push(item) > MOST) this.drop();
    };
    transport.start((message) => {
      keep(said, message);
      this.#start();
    });
    transport.onreport = (report) => {
      keep(reports, report);
      this.#dropIfBad(report);
    };
    this.#frame.begin = () => {
      for (const message of said) transport.deliver(message, []);
      for (const report of reports) transport.onreport?.(report);
    };
    this.#load();
    const timer = setTimeout(() => this.drop() && warm(this.#view), SHELF_LIFE);
    waiting.signal.addEventListener("abort", () => {
      clearTimeout(timer);
      this.#start();
    });
    guardFocus(iframe, waiting.signal, () => this.drop());
  }
}

/** A hidden frame must not receive keys: if it takes the focus, it loses it and is removed. */
function guardFocus(iframe: HTMLIFrameElement, signal: AbortSignal, ontaken: () => void): void {
  let last: EventTarget | undefined;
  const onfocusout = (event: FocusEvent): void => {
    last = event.composedPath()[0];
  };
  const look = (): void => {
    if (document.activeElement !== iframe) return;
    ontaken();
    if (last instanceof HTMLElement) last.focus();
  };
  addEventListener("focusout", onfocusout, { signal });
  addEventListener("blur", look, { signal });
  // The focus moves between frames without an event.
  const timer = setInterval(look, 100);
  signal.addEventListener("abort", () => clearInterval(timer));
}
