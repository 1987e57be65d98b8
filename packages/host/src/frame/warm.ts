/**
 * Apps made ready before anybody asks for them.
 *
 * @module
 */
import type { ProxyReport } from "../proxy-transport.js";
import { browserContext } from "./browser-context.js";
import { type FrameView, openFrame, type ProxyFrame, spares } from "./proxy-frame.js";

/** Options of {@link warm}. */
export interface WarmOptions {
  /**
   * Starts the app itself, out of sight. It waits for its host's first answer until it is shown; one that is not shown
   * within 20 seconds is stopped. One that was granted a camera or the like is not started unseen.
   */
  run?: boolean;
  /**
   * With `run`: hears when the app has said its first word, and is quick to show; at once of one that is not started unseen,
   * and when it cannot be.
   */
  onstarted?: (() => void) | undefined;
}

/** Milliseconds that an app may run without being shown: its own patience with a silent host is not known. */
const SHELF_LIFE = 20_000;
/** Most messages, and characters in them, that an app says before it is heard: it has nothing to say but hello. */
const MOST = 50;
const LONGEST = 1e5;

/** Most frames out of sight: a page has about a thousand windows for all, and a server may have a hundred apps. */
const MOST_SPARES = 20;

/** What waits out of sight, by the address of its proxy page; the one that was asked for last at the end. */
const shelves = new Map<string, Spare>();

/**
 * Makes a view quick to show: its process is started, its proxy page loaded and its document fetched, out of sight. The
 * document is text until then: nothing of it is run, and nothing that it names is loaded. Call when a server with apps
 * was connected.
 *
 * With `run` the app itself is started as well. Call when it is all but certain that it will be shown: when the model
 * has begun to write a call of its tool, say.
 *
 * The twenty that were asked for last are kept. Returns what lets this one go, for when its server is gone.
 *
 * @example
 * ```ts source="../frame.examples.ts#warm"
 * // The server was connected, and its UI resources were read and registered with the sandbox.
 * for (const view of views) warm(view);
 * // Later the model begins to write a call of a tool with an app.
 * warm(next, { run: true });
 * ```
 */
export function warm(view: FrameView, { run = false, onstarted }: WarmOptions = {}): () => void {
  // Where a frame cannot be moved another will be shown, and this one would have run for nothing.
  const mayRun = run && !view.allow && "moveBefore" in document.body;
  let spare = shelves.get(view.src);
  // One whose process has ended is none; one whose proxy is not there yet cannot be told to begin: another is as quick.
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
  // What a frame asks the browser when it begins: the first answer takes long.
  browserContext();
  return () => void kept.drop();
}

type Movable = Element & { moveBefore?(node: Node, child: Node | null): void };

/** A frame that waits out of sight. */
class Spare {
  readonly #view: FrameView;
  readonly #shelf = document.createElement("div");
  readonly #frame: ProxyFrame;
  /** What ends with the wait of an app that runs. */
  #waiting: AbortController | undefined;
  #start = (): void => {};
  /** Its app has said its first word, or nobody waits for it any more. */
  readonly #started = new Promise<void>((resolve) => {
    this.#start = resolve;
  });

  constructor(view: FrameView, hash: string) {
    this.#view = view;
    this.#shelf.hidden = true;
    document.body.append(this.#shelf);
    this.#frame = openFrame(view, this.#shelf, hash);
    const { transport } = this.#frame;
    this.#frame.begin = () => transport.tell("load");
    transport.onreport = (report) => this.#dropIfBad(report);
    shelves.set(view.src, this);
    spares.set(view.src, (place) => this.#move(place));
  }

  /** Its app can be started, or is. */
  get canRun(): boolean {
    return !!this.#waiting || this.#frame.transport.isReady;
  }

  /** The proxy was there, and its process has ended: otherwise it has a frame. */
  get isDead(): boolean {
    const { iframe, transport } = this.#frame;
    return transport.isReady && !iframe.contentWindow?.length;
  }

  /** Ends it; false when it is in use. What could not be made ready now may load when it is needed. */
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
    if (!by && /^(load_failed|navigated_away|flooded|too_large)$/.test(code)) this.drop();
  }

  /** Puts the frame into its place. */
  #move(place: Movable): ProxyFrame | undefined {
    // An iframe that is moved in any other way begins anew. One that cannot be moved still keeps its process warm.
    const canMove = place.isConnected && place.ownerDocument === document && place.moveBefore;
    if (canMove && this.#frame.transport.isReady && !this.isDead) {
      place.moveBefore?.(this.#frame.iframe, null);
      this.#leave();
      this.#shelf.remove();
      return this.#frame;
    }
    // An app does not run twice; its process is kept for the one that is made now.
    if (this.#waiting) setTimeout(() => this.drop());
    return undefined;
  }

  /** Starts the app. What it says is kept for whoever shows it. */
  run(onstarted?: () => void): void {
    void this.#started.then(onstarted);
    if (this.#waiting) return;
    const waiting = new AbortController();
    this.#waiting = waiting;
    const { transport, iframe } = this.#frame;
    // Not hidden, or the app would find no room at all, and its frame would not be drawn.
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
    transport.tell("load");
    const timer = setTimeout(() => this.drop() && warm(this.#view), SHELF_LIFE);
    waiting.signal.addEventListener("abort", () => {
      clearTimeout(timer);
      this.#start();
    });
    guardFocus(iframe, waiting.signal, () => this.drop());
  }
}

/** What nobody sees must not hear what is typed: a frame that takes the focus loses it, and more. */
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
  // From one frame to another the focus goes unheard.
  const timer = setInterval(look, 100);
  signal.addEventListener("abort", () => clearInterval(timer));
}
