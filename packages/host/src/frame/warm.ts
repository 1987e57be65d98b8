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
   * within 20 seconds is stopped.
   */
  run?: boolean;
}

/** Milliseconds that an app may run without being shown: its own patience with a silent host is not known. */
const SHELF_LIFE = 20_000;
/** Most messages, and characters in them, that an app says before it is heard: it has nothing to say but hello. */
const MOST = 50;
const LONGEST = 1e5;

/** Those whose app was started. */
const running = new WeakSet<ProxyFrame>();

/**
 * Makes a view quick to show: its process is started, its proxy page loaded and its document fetched, out of sight. The
 * document is text until then: nothing of it is run, and nothing that it names is loaded. Call when a server with apps
 * was connected.
 *
 * With `run` the app itself is started as well. Call when it is all but certain that it will be shown: when the model
 * has begun to write a call of its tool, say.
 *
 * @example
 * ```ts source="../frame.examples.ts#warm"
 * // The server was connected, and its UI resources were read and registered with the sandbox.
 * for (const view of views) warm(view);
 * // Later the model begins to write a call of a tool with an app.
 * warm(next, { run: true });
 * ```
 */
export function warm(view: FrameView, { run = false }: WarmOptions = {}): void {
  // Where a frame cannot be moved another will be shown, and this one would have run for nothing.
  const mayRun = run && "moveBefore" in document.body;
  let spare = spares.get(view.src);
  // One that is not there yet cannot be told to begin: another is as quick.
  if (mayRun && spare && !spare.transport.isReady && !running.has(spare) && drop(view, spare))
    spare = undefined;
  spare ??= shelve(view, mayRun);
  if (mayRun && !running.has(spare)) start(view, spare);
  // What a frame asks the browser when it begins: the first answer takes long.
  browserContext();
}

function shelve(view: FrameView, isWhole: boolean): ProxyFrame {
  const shelf = document.createElement("div");
  shelf.hidden = true;
  document.body.append(shelf);
  const spare = openFrame(view, shelf, isWhole ? "" : "#later");
  spares.set(view.src, spare);
  spare.begin = () => spare.transport.tell("load");
  spare.transport.onreport = (report) => dropIfBad(view, spare, report);
  return spare;
}

/** What could not be made ready now may load when it is needed. */
function dropIfBad(view: FrameView, spare: ProxyFrame, { code, by }: ProxyReport): void {
  if (!by && /^(load_failed|navigated_away|flooded|too_large)$/.test(code)) drop(view, spare);
}

/** Takes a spare off its shelf; false when it is in use. */
function drop({ src }: FrameView, spare: ProxyFrame): boolean {
  if (spares.get(src) !== spare) return false;
  spares.delete(src);
  spare.transport.close();
  spare.iframe.parentElement?.remove();
  return true;
}

/** Starts the app in a spare frame. What it says is kept for whoever shows it. */
function start(view: FrameView, spare: ProxyFrame): void {
  running.add(spare);
  const { transport, iframe } = spare;
  const shelf = iframe.parentElement as HTMLElement;
  // Not hidden, or the app would find no room at all, and its frame would not be drawn.
  shelf.hidden = false;
  shelf.inert = true;
  Object.assign(shelf.style, {
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
    if (left < 0 || list.push(item) > MOST) drop(view, spare);
  };
  transport.start((message) => keep(said, message));
  transport.onreport = (report) => {
    keep(reports, report);
    dropIfBad(view, spare, report);
  };
  transport.tell("load");

  const returnFocus = guardFocus(iframe, () => drop(view, spare));
  const timer = setTimeout(() => drop(view, spare) && warm(view), SHELF_LIFE);
  spare.begin = () => {
    clearTimeout(timer);
    returnFocus();
    for (const message of said) transport.deliver(message, []);
    for (const report of reports) transport.onreport?.(report);
  };
}

/** What nobody sees must not hear what is typed: a frame that takes the focus loses it, and more. Returns what ends this. */
function guardFocus(iframe: HTMLIFrameElement, ontaken: () => void): () => void {
  const guarding = new AbortController();
  const { signal } = guarding;
  let last: EventTarget | null = null;
  const onfocusout = ({ target }: FocusEvent): void => {
    last = target;
  };
  const onblur = (): void => {
    if (!iframe.isConnected) guarding.abort();
    if (document.activeElement !== iframe) return;
    ontaken();
    if (last instanceof HTMLElement) last.focus();
  };
  addEventListener("focusout", onfocusout, { signal });
  addEventListener("blur", onblur, { signal });
  return () => guarding.abort();
}
