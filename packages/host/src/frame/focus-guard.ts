/**
 * Keeps apps from taking the keyboard focus by themselves (attack E03).
 *
 * @module
 */

/** Milliseconds in which the page hears of a press in an app, once the app has the focus. */
const PRESS_DELAY = 50;
/** Milliseconds after which such a message still explains why the app had the focus. */
const LATE = 1000;
/** Milliseconds after a key in the page in which nobody presses something in an app: the person is typing. */
const TYPING = 400;
/** Milliseconds after Tab in which the focus moves. */
const TAB = 500;
/** How often an app may take the focus within {@link PERIOD} milliseconds: apps focus a field of theirs when they start. */
const MOST = 3;
const PERIOD = 60_000;
/** Milliseconds between two looks while an app has the focus: from one app to another it moves unheard. */
const LOOK = 20;

interface Guarded {
  readonly onrepeated: () => void;
  /** When it took the focus. */
  taken: number[];
}

const apps = new Map<HTMLIFrameElement, Guarded>();
let keyAt = Number.NEGATIVE_INFINITY;
let tabAt = Number.NEGATIVE_INFINITY;
/** The app that the person pressed last, if nothing was pressed or focused elsewhere since. */
let pressedApp: HTMLIFrameElement | undefined;
/** What had the focus last, in the page: an app's frame too. */
let last: HTMLElement | undefined;
/** The app that has the focus with good reason. */
let rightful: HTMLIFrameElement | undefined;
let looking: ReturnType<typeof setInterval> | undefined;

const isFocused = (iframe: HTMLIFrameElement): boolean =>
  (iframe.getRootNode() as Document | ShadowRoot).activeElement === iframe;
const focusedApp = (): HTMLIFrameElement | undefined => [...apps.keys()].find(isFocused);

/** Whether the person wanted the focus in this app. */
const isMeant = (iframe: HTMLIFrameElement): boolean =>
  iframe === rightful || iframe === pressedApp || performance.now() - tabAt < TAB;

function enter(iframe: HTMLIFrameElement): void {
  const from = last;
  const judge = (): void => {
    if (!isFocused(iframe)) return;
    // Where nothing had the focus there is nothing to take.
    if (!from?.isConnected || isMeant(iframe)) settle(iframe);
    else giveBack(iframe, from);
  };
  if (isMeant(iframe)) settle(iframe);
  // Not in this very event, in which the browser does not move the focus once more.
  else setTimeout(judge, performance.now() - keyAt < TYPING ? 0 : PRESS_DELAY);
}

function settle(iframe: HTMLIFrameElement): void {
  rightful = last = iframe;
  looking ??= setInterval(look, LOOK);
}

function giveBack(iframe: HTMLIFrameElement, to: HTMLElement): void {
  window.focus();
  to.focus({ preventScroll: true });
  const app = apps.get(iframe);
  if (!app) return;
  const now = performance.now();
  app.taken = [...app.taken.filter((at) => now - at < PERIOD), now];
  if (app.taken.length >= MOST) app.onrepeated();
}

/** Sees the focus go from one app to another, or back to the page. */
function look(): void {
  const app = focusedApp();
  if (app === rightful) return;
  rightful = undefined;
  clearInterval(looking);
  looking = undefined;
  if (app) enter(app);
}

let isListening = false;
function listen(): void {
  if (isListening) return;
  isListening = true;
  const hear = <K extends keyof WindowEventMap>(type: K, act: (event: WindowEventMap[K]) => void): void =>
    addEventListener(type, (event) => event.isTrusted && act(event), { capture: true });
  hear("keydown", ({ key }) => {
    pressedApp = undefined;
    const isTab = key === "Tab" || key === "F6";
    tabAt = isTab ? performance.now() : Number.NEGATIVE_INFINITY;
    if (!isTab) keyAt = performance.now();
  });
  hear("pointerdown", () => {
    pressedApp = undefined;
  });
  hear("focusin", (event) => {
    const [target] = event.composedPath();
    if (!(target instanceof HTMLElement)) return;
    // The page itself put the focus there: an app that takes it is not heard here.
    if (target instanceof HTMLIFrameElement && apps.has(target)) settle(target);
    else {
      last = target;
      // Tab led here, and not into an app.
      tabAt = Number.NEGATIVE_INFINITY;
      // The frame's own button has the focus when an app fills the window: the app may take it from there.
      if (target.getRootNode() !== pressedApp?.getRootNode()) pressedApp = undefined;
    }
  });
  hear("focusout", ({ relatedTarget }) => {
    // Whether it goes to an app is known in a moment; else nothing has the focus.
    if (!relatedTarget) setTimeout(() => !focusedApp() && document.hasFocus() && forgetIfNone());
  });
  hear("blur", ({ target }) => {
    const app = target === window && focusedApp();
    if (app) enter(app);
  });
}

function forgetIfNone(): void {
  if (document.activeElement === document.body) last = undefined;
}

/**
 * Gives the focus back when this app takes it without a press in it or Tab into it. An app that does so again and again is
 * reported.
 *
 * @param onrepeated the app took the focus for the third time within a minute
 */
export function guardFocus(
  iframe: HTMLIFrameElement,
  onrepeated: () => void,
): { pressed(): void; tabbed(): void; stop(): void } {
  listen();
  const app: Guarded = { onrepeated, taken: [] };
  apps.set(iframe, app);
  return {
    pressed: () => {
      pressedApp = iframe;
      // On a slow machine the focus was given back before this message came: the app did not take it.
      if (performance.now() - (app.taken.at(-1) ?? Number.NEGATIVE_INFINITY) < LATE) app.taken.pop();
    },
    tabbed: () => {
      // If Tab led into the page, the focus is there already.
      if (focusedApp()) tabAt = performance.now();
    },
    stop: () => {
      apps.delete(iframe);
      if (rightful === iframe) rightful = undefined;
      if (pressedApp === iframe) pressedApp = undefined;
    },
  };
}
