/**
 * Keeps apps from taking the keyboard focus by themselves (attack E03).
 *
 * @module
 */

/** Milliseconds in which the page hears of a press in an app, once the app has the focus. The view drops keys meanwhile. */
const PRESS_DELAY = 120;
/** Milliseconds between a press in an app and the focus that it moved. */
const LATE = 1000;
/** Milliseconds in which a press in an app moves the focus there, unless another app takes it back at once. */
const MOVE = 40;
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
/**
 * The last deliberate act of the person: when it was, and in which app; none if it was in the page. Acts are presses, keys in
 * the page, and Tab. The page acts for the person when it moves the focus itself.
 */
let act: { readonly app?: HTMLIFrameElement | undefined; readonly at: number } = {
  at: Number.NEGATIVE_INFINITY,
};
/** The app that the mouse pointer is over, as far as the page knows. */
let pointerApp: EventTarget | undefined;
/** The element that was given the focus back. Its `focusin` event follows, and is not the person's doing. */
let givenBack: EventTarget | undefined;
/** The element of the page that had the focus last with good reason: a field, a button, an app's frame. */
let last: HTMLElement | undefined;
/** Runs while an app has the focus: from one app to another it moves unheard. */
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

/** Notes an act, unless a later one is known: a busy app gets its events late. Returns whether it is the last one. */
function noteAct(at: number, app?: HTMLIFrameElement): boolean {
  const isLast = at >= act.at;
  if (isLast) act = { app, at };
  return isLast;
}

/** Notes what has the focus, and tells the apps that this changes something for. */
function setLast(to: HTMLElement | undefined): void {
  const before = last;
  last = to;
  clearInterval(looking);
  looking = apps.has(to as HTMLIFrameElement) ? setInterval(look, LOOK) : undefined;
  // A view that loses the focus believes that it is held, until it is told.
  const left = before === to ? undefined : apps.get(before as HTMLIFrameElement);
  if (left) left.held = undefined;
  tellAll();
}

function tellAll(): void {
  for (const [iframe, app] of apps) tellHeld(iframe, app);
}

function tellHeld(iframe: HTMLIFrameElement, app: Guarded): void {
  const held = isHeld(iframe) ? (keyAt > 0 ? 2 : 1) : 0;
  if (held === app.held) return;
  app.held = held;
  app.options.onheld(held);
}

/** Whether the person wanted the focus in this app: their last act was there, or is the Tab that leads there. */
const isMeant = (iframe: HTMLIFrameElement): boolean => act.app === iframe || performance.now() - tabAt < TAB;

/** An app got the focus. */
function enter(iframe: HTMLIFrameElement): void {
  const from = last;
  const held = isHeld(iframe);
  const judge = (): void => {
    if (!isFocused(iframe)) {
      setLast(last);
      look();
      return;
    }
    const isActive = isActivated(iframe);
    // Of keys in another app the page knows nothing.
    const isIdle = !apps.has(from as HTMLIFrameElement) && performance.now() - keyAt > IDLE;
    const mayBePress = pointerApp === iframe || isIdle;
    if (isMeant(iframe) || (isActive && mayBePress)) settle(iframe, true);
    // Where nothing took keys there is nothing to take.
    else if (!held || !from?.isConnected) settle(iframe, false);
    else giveBack(iframe, from, isActive);
  };
  // The person comes back from another window.
  if (iframe === from) setLast(iframe);
  else if (isMeant(iframe)) settle(iframe, true);
  else {
    apps.get(iframe)?.options.ping();
    // Not in this very event, in which the browser does not move the focus once more.
    setTimeout(judge, performance.now() - keyAt < TYPING ? PRESS_DELAY / 2 : PRESS_DELAY);
  }
}

/**
 * Whether the person did something in the app after their last act elsewhere. Presses in a third-party frame inside of the app,
 * keys in the app, and focus that a screen reader moves, are known by nothing else.
 */
function isActivated(iframe: HTMLIFrameElement): boolean {
  const { idleAt = 0, activeAt = 0 } = apps.get(iframe) ?? {};
  return act.at < idleAt && idleAt < activeAt;
}

/** The app keeps the focus. If that was not the person's doing, no app counts as the one they used last. */
function settle(iframe: HTMLIFrameElement, isAct: boolean): void {
  if (act.app !== iframe) act = isAct ? { app: iframe, at: performance.now() } : { at: act.at };
  // One Tab leads into one app.
  tabAt = Number.NEGATIVE_INFINITY;
  setLast(iframe);
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
  if (app && app === last) return;
  clearInterval(looking);
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
  /** Puts the focus into the view. */
  onfocus(): void;
}

/** Keeps one app from taking the focus. Times are those of `performance.now()` in the page. */
export interface FocusGuard {
  /** The person pressed something in the app. */
  pressed(at: number): void;
  /** The person pressed Tab in the app, and the focus left it. */
  tabbed(at: number): void;
  /** Whether somebody did something in the app, or in a frame inside of it, within the last seconds; as the browser says. */
  sampled(isActive: unknown): void;
  /** Whether the last deliberate act of the person was in the app. Waits for a report of it that is under way. */
  isUsed(): Promise<boolean>;
  stop(): void;
}

let isListening = false;
function listen(): void {
  if (isListening) return;
  isListening = true;
  last = focusedElement();
  const hear = <K extends keyof WindowEventMap>(type: K, handle: (event: WindowEventMap[K]) => void): void =>
    addEventListener(type, (event) => event.isTrusted && handle(event), { capture: true });
  hear("keydown", ({ key, timeStamp }) => {
    noteAct(timeStamp);
    const isTab = key === "Tab" || key === "F6";
    tabAt = isTab ? performance.now() : Number.NEGATIVE_INFINITY;
    // Enter ends what was typed.
    if (!isTab) keyAt = key === "Enter" ? Number.NEGATIVE_INFINITY : performance.now();
    tellAll();
  });
  hear("pointerdown", ({ timeStamp }) => {
    noteAct(timeStamp);
    keyAt = Number.NEGATIVE_INFINITY;
    tellAll();
  });
  hear("pointerover", (event) => {
    [pointerApp] = event.composedPath();
  });
  hear("focusin", (event) => {
    const [target] = event.composedPath();
    if (!(target instanceof HTMLElement)) return;
    const isGivenBack = target === givenBack;
    givenBack = undefined;
    // The page itself put the focus there: an app that takes it is not heard here.
    if (target instanceof HTMLIFrameElement && apps.has(target)) settle(target, !isGivenBack);
    else {
      setLast(target);
      // Tab led here, and not into an app.
      tabAt = Number.NEGATIVE_INFINITY;
      // The frame's own button has the focus when an app fills the window: the app may take it from there.
      if (!isGivenBack && target.getRootNode() !== act.app?.getRootNode()) noteAct(event.timeStamp);
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
  const app: Guarded = { options, taken: [], idleAt: performance.now(), activeAt: 0 };
  apps.set(iframe, app);
  tellHeld(iframe, app);
  const isUsed = (): boolean => act.app === iframe || isActivated(iframe);
  /** Whether another app has the focus. */
  const isElsewhere = (): boolean => last !== iframe && apps.has(last as HTMLIFrameElement);
  return {
    pressed: (at) => {
      const taken = app.taken.at(-1)?.at ?? Number.NEGATIVE_INFINITY;
      const isLate = at <= taken && taken - at < LATE;
      if (isLate) app.taken.pop();
      // The person may have gone elsewhere since.
      if (!noteAct(at, iframe)) return;
      if (isFocused(iframe)) settle(iframe, true);
      // On a slow machine the focus was given back before this message came. The app did not take it, and has it again.
      else if (isLate) {
        iframe.focus({ preventScroll: true });
        options.onfocus();
      }
      // An app that had the focus may have taken it back in the same moment, so that the page saw nothing of it.
      else setTimeout(() => act.app === iframe && isElsewhere() && options.onfocus(), MOVE);
    },
    tabbed: (at) => {
      // If Tab led into the page, the focus is there already.
      if (at >= act.at && focusedApp()) tabAt = at;
    },
    sampled: (isActive) => {
      if (isActive === false) app.idleAt = performance.now();
      if (isActive === true) app.activeAt = performance.now();
    },
    isUsed: async () => {
      if (isUsed()) return true;
      options.ping();
      await new Promise((resolve) => setTimeout(resolve, PRESS_DELAY));
      return isUsed();
    },
    stop: () => {
      apps.delete(iframe);
      if (act.app === iframe) act = { at: act.at };
    },
  };
}
