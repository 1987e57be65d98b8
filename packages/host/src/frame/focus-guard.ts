/**
 * Keeps apps from taking the keyboard focus by themselves (attack E03).
 *
 * @module
 */

/** Milliseconds in which the page hears of a press in an app, once the app has the focus. The view drops keys meanwhile. */
const PRESS_DELAY = 120;
/** Milliseconds between a press in an app and the focus that it moved. */
const LATE = 1000;
/** Milliseconds after a key in the page in which nobody presses something in an app: the person is typing. */
const TYPING = 400;
/** Milliseconds after a key in the page after which the person is not about to type there. */
const IDLE = 2000;
/** Milliseconds after Tab in which the focus moves. */
const TAB = 500;
/**
 * The app is ended when it takes the focus so often within {@link PERIOD} milliseconds: from somebody who is typing, and at
 * rest. Apps focus a field of theirs when they start, and test drivers focus every field that they fill.
 */
const MOST_TYPING = 3;
const MOST = 20;
const PERIOD = 60_000;
/** The app is ended when it took the focus from somebody who is typing so often since it was mounted, however slowly. */
const MOST_EVER = 10;
/** Milliseconds between two looks while an app has the focus: from one app to another it moves unheard. */
const LOOK = 20;

interface Guarded {
  readonly options: FocusGuardOptions;
  /** When it took the focus since it was mounted, and whether somebody was typing. */
  readonly taken: { readonly at: number; readonly isTyping: boolean }[];
  /** The last value that {@link FocusGuardOptions.onheld} got. */
  held?: 0 | 1 | 2 | undefined;
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
/** The element that was given the focus back. Its `focusin` event follows, and is not the person's doing. */
let givenBack: EventTarget | undefined;
/** What had the focus last, in the page: an app's frame too. */
let last: HTMLElement | undefined;
/** The app that has the focus with good reason. */
let rightful: HTMLIFrameElement | undefined;
let looking: ReturnType<typeof setInterval> | undefined;

const isFocused = (iframe: HTMLIFrameElement): boolean =>
  (iframe.getRootNode() as Document | ShadowRoot).activeElement === iframe;
const focusedApp = (): HTMLIFrameElement | undefined => [...apps.keys()].find(isFocused);

/** Elements that take no text: nobody loses a word when the focus leaves them. */
const TEXTLESS =
  "a, button, summary, input:is([type=button], [type=submit], [type=reset], [type=checkbox], [type=radio], [type=range], [type=file])";

/** The element of the page that has the focus, in shadow trees too. */
function focusedElement(): HTMLElement | undefined {
  let { activeElement } = document;
  while (activeElement?.shadowRoot?.activeElement) ({ activeElement } = activeElement.shadowRoot);
  return activeElement instanceof HTMLElement && activeElement !== document.body ? activeElement : undefined;
}

/** Whether keys that are typed now are for something else than this app. */
const isHeld = (iframe: HTMLIFrameElement): boolean =>
  last?.isConnected === true && last !== iframe && !last.matches(TEXTLESS);

/** Notes what has the focus, and tells the apps that this changes something for. */
function setLast(to: HTMLElement | undefined): void {
  const before = last;
  last = to;
  for (const [iframe, app] of apps) {
    // A view that loses the focus believes that it is held, until it is told.
    if (iframe === before && iframe !== to) app.held = undefined;
    tellHeld(iframe, app);
  }
}

function tellHeld(iframe: HTMLIFrameElement, app: Guarded): void {
  const held = isHeld(iframe) ? (keyAt > 0 ? 2 : 1) : 0;
  if (held === app.held) return;
  app.held = held;
  app.options.onheld(held);
}

/** Whether the person wanted the focus in this app. */
const isMeant = (iframe: HTMLIFrameElement): boolean =>
  iframe === rightful || iframe === pressedApp || performance.now() - tabAt < TAB;

function enter(iframe: HTMLIFrameElement): void {
  const from = last;
  const held = isHeld(iframe);
  const judge = (): void => {
    if (!isFocused(iframe)) {
      look();
      return;
    }
    const isActive = isActivated(iframe);
    // Of keys in another app the page knows nothing.
    const isIdle = !apps.has(from as HTMLIFrameElement) && performance.now() - keyAt > IDLE;
    const mayBePress = pointerApp === iframe || isIdle;
    // Where nothing took keys there is nothing to take.
    if (!held || !from?.isConnected || isMeant(iframe) || (isActive && mayBePress)) settle(iframe);
    else giveBack(iframe, from, isActive);
  };
  if (isMeant(iframe)) {
    settle(iframe);
    return;
  }
  apps.get(iframe)?.options.ping();
  // Not in this very event, in which the browser does not move the focus once more.
  setTimeout(judge, performance.now() - keyAt < TYPING ? PRESS_DELAY / 2 : PRESS_DELAY);
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
  rightful = iframe;
  setLast(iframe);
  looking ??= setInterval(look, LOOK);
}

function giveBack(iframe: HTMLIFrameElement, to: HTMLElement, isExcused: boolean): void {
  givenBack = to;
  window.focus();
  to.focus({ preventScroll: true });
  const app = apps.get(iframe);
  if (!app || isExcused) return;
  const now = performance.now();
  app.taken.push({ at: now, isTyping: now - keyAt < IDLE || apps.has(to as HTMLIFrameElement) });
  const recent = app.taken.filter(({ at }) => now - at < PERIOD);
  const count = (thefts: Guarded["taken"]): number => thefts.filter(({ isTyping }) => isTyping).length;
  if (recent.length >= MOST || count(recent) >= MOST_TYPING || count(app.taken) >= MOST_EVER)
    app.options.onrepeated();
}

/** Sees the focus go from one app to another, or back to the page. */
function look(): void {
  const app = focusedApp();
  if (app === rightful) return;
  rightful = undefined;
  clearInterval(looking);
  looking = undefined;
  if (app) enter(app);
  else setLast(focusedElement());
}

/** Options of {@link guardFocus}. */
export interface FocusGuardOptions {
  /**
   * Called when the app took the focus from somebody who is typing for the third time within a minute, or for the tenth time;
   * or for the twentieth time within a minute at rest.
   */
  onrepeated(): void;
  /** Called when something else than the app begins to take keys (1), is typed into (2), or nothing takes keys any more (0). */
  onheld(held: 0 | 1 | 2): void;
  /** Asks the proxy whether somebody did something in the app; {@link FocusGuard.sampled} gets the answer. */
  ping(): void;
}

/** Keeps one app from taking the focus. Times are those of `performance.now()` in the page. */
export interface FocusGuard {
  /** The person pressed something in the app. Returns whether the focus is in its frame again, which has to focus the view. */
  pressed(at: number): boolean;
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
  last = focusedElement();
  const hear = <K extends keyof WindowEventMap>(type: K, act: (event: WindowEventMap[K]) => void): void =>
    addEventListener(type, (event) => event.isTrusted && act(event), { capture: true });
  hear("keydown", ({ key, timeStamp }) => {
    pressedApp = undefined;
    elsewhereAt = timeStamp;
    const isTab = key === "Tab" || key === "F6";
    tabAt = isTab ? performance.now() : Number.NEGATIVE_INFINITY;
    // Enter ends what was typed.
    if (!isTab) keyAt = key === "Enter" ? Number.NEGATIVE_INFINITY : performance.now();
    setLast(last);
  });
  hear("pointerdown", ({ timeStamp }) => {
    pressedApp = undefined;
    keyAt = Number.NEGATIVE_INFINITY;
    setLast(last);
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
      setLast(target);
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
    if (!relatedTarget) setTimeout(forgetIfNone, PRESS_DELAY);
  });
  hear("blur", ({ target }) => {
    const app = target === window && focusedApp();
    if (app) enter(app);
  });
}

function forgetIfNone(): void {
  if (!focusedApp() && document.hasFocus() && !focusedElement()) setLast(undefined);
}

/**
 * Gives the focus back when this app takes it without a press in it or Tab into it. An app that does so again and again is
 * reported.
 */
export function guardFocus(iframe: HTMLIFrameElement, options: FocusGuardOptions): FocusGuard {
  listen();
  const app: Guarded = { options, taken: [], idleAt: 0, activeAt: 0 };
  apps.set(iframe, app);
  tellHeld(iframe, app);
  return {
    pressed: (at) => {
      const taken = app.taken.at(-1)?.at ?? Number.NEGATIVE_INFINITY;
      const isLate = at <= taken && taken - at < LATE;
      if (isLate) app.taken.pop();
      // The person may have gone elsewhere since: a busy app gets its events late.
      if (at < elsewhereAt) return false;
      pressedApp = iframe;
      if (isFocused(iframe)) settle(iframe);
      // On a slow machine the focus was given back before this message came. The app did not take it, and has it again.
      else if (isLate) iframe.focus({ preventScroll: true });
      return isLate;
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
