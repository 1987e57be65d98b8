/**
 * Keeps apps from taking the keyboard focus by themselves (attack E03).
 *
 * @module
 */

/** Milliseconds in which the page hears of a press in an app, once the app has the focus. */
const PRESS_DELAY = 50;
/** Milliseconds between a press in an app and the focus that it moved. */
const LATE = 1000;
/** Milliseconds after a key in the page in which nobody presses something in an app: the person is typing. */
const TYPING = 400;
/** Milliseconds after a key in the page after which the person is not about to type there. */
const IDLE = 2000;
/** Milliseconds after Tab in which the focus moves. */
const TAB = 500;
/** The app is ended when it takes the focus so often within {@link PERIOD} milliseconds: apps focus a field of theirs when they start. */
const MOST = 3;
const PERIOD = 60_000;
/** The app is ended when it took the focus so often since it was mounted, however slowly. */
const MOST_EVER = 10;
/** Milliseconds between two looks while an app has the focus: from one app to another it moves unheard. */
const LOOK = 20;

interface Guarded {
  readonly options: FocusGuardOptions;
  /** When it took the focus, since it was mounted. */
  readonly taken: number[];
  /** When it was last known that nobody did something in the app for seconds, and that somebody did. */
  idleAt: number;
  activeAt: number;
}

const apps = new Map<HTMLIFrameElement, Guarded>();
let keyAt = Number.NEGATIVE_INFINITY;
let tabAt = Number.NEGATIVE_INFINITY;
/** The app that the person pressed last, if nothing was pressed or focused elsewhere since. */
let pressedApp: HTMLIFrameElement | undefined;
/** The app that the mouse pointer is over, as far as the page knows. */
let pointerApp: EventTarget | undefined;
/** When the person last pressed a button or key in the page, or the focus moved there. */
let elsewhereAt = Number.NEGATIVE_INFINITY;
/** What was given the focus back. The browser says so a moment later, and that is not the person's doing. */
let givenBack: EventTarget | undefined;
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
    const isActive = isActivated(iframe);
    // Of keys in another app the page knows nothing.
    const isIdle = !apps.has(from as HTMLIFrameElement) && performance.now() - keyAt > IDLE;
    const mayBePress = pointerApp === iframe || isIdle;
    // Where nothing had the focus there is nothing to take.
    if (!from?.isConnected || isMeant(iframe) || (isActive && mayBePress)) settle(iframe);
    else giveBack(iframe, from, isActive);
  };
  if (isMeant(iframe)) {
    settle(iframe);
    return;
  }
  apps.get(iframe)?.options.ping();
  // Not in this very event, in which the browser does not move the focus once more.
  setTimeout(judge, performance.now() - keyAt < TYPING ? 0 : PRESS_DELAY);
}

/**
 * Whether the person did something in the app after they were last in the page. Presses in a third-party frame inside of the app,
 * and focus that a screen reader moves, are known by nothing else.
 */
function isActivated(iframe: HTMLIFrameElement): boolean {
  const { idleAt = 0, activeAt = 0 } = apps.get(iframe) ?? {};
  return elsewhereAt < idleAt && idleAt < activeAt;
}

function settle(iframe: HTMLIFrameElement): void {
  rightful = last = iframe;
  looking ??= setInterval(look, LOOK);
}

function giveBack(iframe: HTMLIFrameElement, to: HTMLElement, isExcused: boolean): void {
  givenBack = to;
  window.focus();
  to.focus({ preventScroll: true });
  const app = apps.get(iframe);
  if (!app || isExcused) return;
  const now = performance.now();
  app.taken.push(now);
  const recent = app.taken.filter((at) => now - at < PERIOD);
  if (recent.length >= MOST || app.taken.length >= MOST_EVER) app.options.onrepeated();
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

/** Options of {@link guardFocus}. */
export interface FocusGuardOptions {
  /** Called when the app took the focus for the third time within a minute, or for the tenth time. */
  onrepeated(): void;
  /** Asks the proxy whether somebody did something in the app; {@link FocusGuard.sampled} gets the answer. */
  ping(): void;
}

/** Keeps one app from taking the focus. Times are those of `performance.now()` in the page. */
export interface FocusGuard {
  /** The person pressed something in the app. */
  pressed(at: number): void;
  /** The person pressed Tab in the app, and the focus left it. */
  tabbed(at: number): void;
  /** Whether somebody did something in the app, or in a frame inside of it, within the last seconds; as the browser says. */
  sampled(isActive: unknown): void;
  stop(): void;
}

let isListening = false;
function listen(): void {
  if (isListening) return;
  isListening = true;
  const hear = <K extends keyof WindowEventMap>(type: K, act: (event: WindowEventMap[K]) => void): void =>
    addEventListener(type, (event) => event.isTrusted && act(event), { capture: true });
  hear("keydown", ({ key, timeStamp }) => {
    pressedApp = undefined;
    elsewhereAt = timeStamp;
    const isTab = key === "Tab" || key === "F6";
    tabAt = isTab ? performance.now() : Number.NEGATIVE_INFINITY;
    if (!isTab) keyAt = performance.now();
  });
  hear("pointerdown", ({ timeStamp }) => {
    pressedApp = undefined;
    elsewhereAt = timeStamp;
  });
  hear("pointerover", (event) => {
    [pointerApp] = event.composedPath();
  });
  hear("focusin", (event) => {
    const [target] = event.composedPath();
    if (!(target instanceof HTMLElement)) return;
    // The page itself put the focus there: an app that takes it is not heard here.
    if (target instanceof HTMLIFrameElement && apps.has(target)) settle(target);
    else {
      last = target;
      if (target !== givenBack) elsewhereAt = event.timeStamp;
      givenBack = undefined;
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
 */
export function guardFocus(iframe: HTMLIFrameElement, options: FocusGuardOptions): FocusGuard {
  listen();
  const app: Guarded = { options, taken: [], idleAt: 0, activeAt: 0 };
  apps.set(iframe, app);
  return {
    pressed: (at) => {
      const taken = app.taken.at(-1) ?? Number.NEGATIVE_INFINITY;
      // On a slow machine the focus was given back before this message came: the app did not take it.
      if (at <= taken && taken - at < LATE) app.taken.pop();
      // Unless the person has gone elsewhere since: a busy app gets its events late.
      if (at >= elsewhereAt) pressedApp = iframe;
    },
    tabbed: (at) => {
      // If Tab led into the page, the focus is there already.
      if (at >= elsewhereAt && focusedApp()) tabAt = at;
    },
    sampled: (isActive) => {
      if (isActive === false) app.idleAt = performance.now();
      if (isActive === true) app.activeAt = performance.now();
    },
    stop: () => {
      apps.delete(iframe);
      if (rightful === iframe) rightful = undefined;
      if (pressedApp === iframe) pressedApp = undefined;
    },
  };
}
