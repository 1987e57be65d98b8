/**
 * Prevents apps from taking the keyboard focus by themselves.
 *
 * @module
 */

/**
 * Milliseconds within which the page learns of a press in an app, once the app has the focus. The view drops
 * keys meanwhile.
 */
const PRESS_DELAY = 120;
/** Maximum milliseconds between a press in an app and its focus change. */
const LATE = 1000;
/** Milliseconds after a press in an app at which its view makes sure that it has the focus. */
const MOVES = [40, 160];
/**
 * Milliseconds after a key in the page in which the user counts as typing, and not as pressing something in
 * an app.
 */
const TYPING = 400;
/** Milliseconds after a key in the page after which the user is not about to type there. */
const IDLE = 2000;
/** Milliseconds after Tab in which the focus moves. */
const TAB = 500;
/**
 * The app is stopped when it takes the focus this often within {@link PERIOD} milliseconds: from a typing
 * user, and from an idle one. Apps focus one of their fields when they start, and test drivers focus every
 * field that they fill.
 */
const MOST_TYPING = 3;
const MOST = 20;
const PERIOD = 60_000;
/**
 * The app is stopped when it took the focus from a typing user this often since it was mounted, however
 * slowly.
 */
const MOST_EVER = 10;
/**
 * Milliseconds between checks while an app has the focus: it moves from one app to another without an event.
 */
const LOOK = 20;

interface Guarded {
  readonly options: FocusGuardOptions;
  /** When it took the focus since it was mounted, and whether the user was typing. */
  readonly taken: { readonly at: number; readonly isTyping: boolean }[];
  /** The last value passed to {@link FocusGuardOptions.onheld}. */
  held?: 0 | 1 | 2 | undefined;
  /** When the user was last known to be inactive in the app for seconds, and to be active. */
  idleAt: number;
  activeAt: number;
}

const apps = new Map<HTMLIFrameElement, Guarded>();
let keyAt = Number.NEGATIVE_INFINITY;
let tabAt = Number.NEGATIVE_INFINITY;
/**
 * The user's last deliberate action: its time, and its app; none if it was in the page. Actions are presses,
 * keys in the page, and Tab. The page acts for the user when it moves the focus itself.
 */
let act: { readonly app?: HTMLIFrameElement | undefined; readonly at: number } = {
  at: Number.NEGATIVE_INFINITY,
};
/** The app under the mouse pointer, as far as the page knows. */
let pointerApp: EventTarget | undefined;
/** The element that got the focus back. Its `focusin` event follows, and is not an action of the user. */
let givenBack: EventTarget | undefined;
/** The page's element that last had the focus legitimately: a field, a button, an app's frame. */
let last: HTMLElement | undefined;
/** Runs while an app has the focus: it moves from one app to another without an event. */
let looking: ReturnType<typeof setInterval> | undefined;

const isFocused = (iframe: HTMLIFrameElement): boolean =>
  (iframe.getRootNode() as Document | ShadowRoot).activeElement === iframe;
const focusedApp = (): HTMLIFrameElement | undefined => [...apps.keys()].find(isFocused);

/** Elements without text input: no text is lost when the focus leaves them. */
const TEXTLESS =
  "a, button, summary, input:is([type=button], [type=submit], [type=reset], [type=checkbox], [type=radio], [type=range], [type=file])";

/** The page's focused element, also inside shadow trees. */
function focusedElement(): HTMLElement | undefined {
  let { activeElement } = document;
  while (activeElement?.shadowRoot?.activeElement) ({ activeElement } = activeElement.shadowRoot);
  return activeElement instanceof HTMLElement && activeElement !== document.body ? activeElement : undefined;
}

/** Whether typed keys are for something other than this app. */
const isHeld = (iframe: HTMLIFrameElement): boolean =>
  last?.isConnected === true && last !== iframe && !last.matches(TEXTLESS);

/**
 * Records an action, unless a later one is known: a busy app gets its events late. Returns whether it is the
 * last one.
 */
function noteAct(at: number, app?: HTMLIFrameElement): boolean {
  const isLast = at >= act.at;
  if (isLast) act = { app, at };
  return isLast;
}

/** Records the focused element, and notifies the affected apps. */
function setLast(to: HTMLElement | undefined): void {
  const before = last;
  last = to;
  clearInterval(looking);
  looking = apps.has(to as HTMLIFrameElement) ? setInterval(look, LOOK) : undefined;
  // A view that loses the focus assumes that it is held, until it is notified.
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

/**
 * Whether the user wanted the focus in this app: their last action was there, or is the Tab that leads there.
 */
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
    // The page does not see keys in another app.
    const isIdle = !apps.has(from as HTMLIFrameElement) && performance.now() - keyAt > IDLE;
    const mayBePress = pointerApp === iframe || isIdle;
    if (isMeant(iframe) || (isActive && mayBePress)) settle(iframe, true);
    // If nothing took keys, the app takes the focus from nobody.
    else if (!held || !from?.isConnected) settle(iframe, false);
    else giveBack(iframe, from, isActive);
  };
  // The user comes back from another window.
  if (iframe === from) setLast(iframe);
  else if (isMeant(iframe)) settle(iframe, true);
  else {
    apps.get(iframe)?.options.ping();
    // Deferred, because the browser does not move the focus again during this event.
    setTimeout(judge, performance.now() - keyAt < TYPING ? PRESS_DELAY / 2 : PRESS_DELAY);
  }
}

/**
 * Whether the user was active in the app after their last action elsewhere. Presses in a third-party frame
 * inside the app, keys in the app, and focus moved by a screen reader are known only this way.
 */
function isActivated(iframe: HTMLIFrameElement): boolean {
  const { idleAt = 0, activeAt = 0 } = apps.get(iframe) ?? {};
  return act.at < idleAt && idleAt < activeAt;
}

/** Lets the app keep the focus. If the user did not cause it, no app counts as last used. */
function settle(iframe: HTMLIFrameElement, isAct: boolean): void {
  if (act.app !== iframe) act = isAct ? { app: iframe, at: performance.now() } : { at: act.at };
  // Each Tab leads into only one app.
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

/** Detects that the focus moved from one app to another, or back to the page. */
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
   * Called when the app took the focus from a typing user for the third time within a minute, or for the
   * tenth time; or from an idle one for the twentieth time within a minute.
   */
  onrepeated(): void;
  /**
   * Called when something other than the app starts to take keys (1), is typed into (2), or nothing takes
   * keys any more (0).
   */
  onheld(held: 0 | 1 | 2): void;
  /** Asks the proxy whether the user was active in the app; {@link FocusGuard.sampled} gets the answer. */
  ping(): void;
  /** Moves the focus into the view. */
  onfocus(): void;
}

/** Prevents one app from taking the focus. Times are `performance.now()` of the page. */
export interface FocusGuard {
  /** The user pressed something in the app. */
  pressed(at: number): void;
  /** The user pressed Tab in the app, and the focus left it. */
  tabbed(at: number): void;
  /**
   * Whether the user was active in the app, or in a frame inside it, within the last seconds, according to
   * the browser.
   */
  sampled(isActive: unknown): void;
  /** Whether the user's last deliberate action was in the app. Waits for a pending report of it. */
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
    const from = focusedElement();
    // The page used the key itself, for example to complete a word.
    if (isTab) setTimeout(() => focusedElement() === from && (tabAt = Number.NEGATIVE_INFINITY));
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
    // The page itself moved the focus there: an app that takes it fires no event here.
    if (target instanceof HTMLIFrameElement && apps.has(target)) settle(target, !isGivenBack);
    else {
      setLast(target);
      // Tab led here, not into an app.
      tabAt = Number.NEGATIVE_INFINITY;
      // With a fullscreen app the frame's own button has the focus: the app may take it from there.
      if (!isGivenBack && target.getRootNode() !== act.app?.getRootNode()) noteAct(event.timeStamp);
    }
  });
  hear("focusout", ({ relatedTarget }) => {
    // It is not known yet whether it goes to an app; otherwise nothing has the focus.
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
 * Gives the focus back when this app takes it without a press in it or Tab into it. A repeated offender is
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
      // The user may have moved elsewhere since.
      if (!noteAct(at, iframe)) return;
      if (isFocused(iframe)) settle(iframe, true);
      // On a slow machine the focus was given back before this message came. The app did not take it, and
      // gets it again.
      else if (isLate) {
        iframe.focus({ preventScroll: true });
        options.onfocus();
      }
      // Another app may take the focus back a moment later, unseen by the page. A view that has it ignores this.
      for (const delay of MOVES)
        setTimeout(
          // Tab led away since: a busy page has not yet seen the focus move.
          () => act.app === iframe && tabAt < at && (last === iframe || isElsewhere()) && options.onfocus(),
          delay,
        );
    },
    tabbed: (at) => {
      // If Tab led into the page, the focus is already there.
      if (at < act.at || !focusedApp()) return;
      tabAt = at;
      // A busy page saw the focus move before this message came, and still judges the app that has it.
      look();
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
