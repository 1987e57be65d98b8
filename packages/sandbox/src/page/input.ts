/**
 * Watches input in a view. Presses are reported to the host, and so is Tab that leaves the view; keys that
 * were meant for the page are dropped. It runs before every script of the view, so that none gets an event
 * first.
 */
import {
  dataOf,
  dateNow,
  drop,
  hasFocus,
  isPrevented,
  keyOf,
  later,
  listen,
  now,
  releaseFocus,
  targetOf,
  timeOf,
} from "./originals.js";

/**
 * Milliseconds after this window took the focus by itself in which keys are dropped, if the host says
 * nothing.
 */
const FOREIGN = 250;
/**
 * Milliseconds after a press in which the user cannot have started to type elsewhere. The host judges later
 * focus changes.
 */
const PRESS = 200;
/** Milliseconds after Tab in which the focus moves. */
const TAB = 500;

let pressedAt = Number.NEGATIVE_INFINITY;
let takenAt = Number.NEGATIVE_INFINITY;
let droppedAt = Number.NEGATIVE_INFINITY;
/**
 * 1: something outside of this view takes keys. 2: the user is typing there. Set by the host; some never send
 * it.
 */
let held: number | undefined;
/** This window took the focus in the task that is running, or the host's messages wait behind that task. */
let isStale = false;
/** The Tab event that may leave this view. */
let tab: Event | undefined;
/** Tab left this view after the last press in it: what the host sent before it learned that is out of date. */
let isLeft = false;

const { port1, port2 } = new MessageChannel();
const send = port1.postMessage.bind(port1);
const focus = window.focus.bind(window);
port1.onmessage = (event) => {
  const data = dataOf(event);
  if (data === "focus") hasFocus() || isLeft || focus();
  else held = data;
};
let isOffered = false;

/** The proxy's end of the notification port, once per document. */
export function inputPorts(): MessagePort[] {
  if (isOffered) return [];
  isOffered = true;
  return [port2];
}

/** Sends the time of the event on the clock shared by all pages: a busy view or host may get it late. */
const notify = (event: Event, isTab: boolean): void =>
  send({ tab: isTab, at: dateNow() - now() + timeOf(event) });

function press(event: Event): void {
  if (!event.isTrusted) return;
  pressedAt = timeOf(event);
  isLeft = false;
  // A busy view gets a press late, when the user may be typing elsewhere: the host decides.
  if (now() - pressedAt <= PRESS) takenAt = Number.NEGATIVE_INFINITY;
  notify(event, false);
}

function takeFocus(event: Event): void {
  if (targetOf(event) !== window || now() - pressedAt <= PRESS) return;
  takenAt = now();
  // A busy view has not read the host's last messages, and gets keys before them.
  isStale = true;
  later(() => {
    isStale = false;
  });
}

/** A Tab inside this view is not reported: it must not excuse another app that takes the focus. */
function leave(event: Event): void {
  if (targetOf(event) !== window) return;
  if (tab && !isPrevented(tab) && now() - timeOf(tab) < TAB && !hasFocus()) {
    isLeft = true;
    notify(tab, true);
  }
  tab = undefined;
  // Until the host says more, the focus went to something that takes keys.
  if (held === 0) held = 1;
}

function stay(): void {
  tab = undefined;
}

function isForeign(event: Event): boolean {
  const foreign = held || isStale ? Number.POSITIVE_INFINITY : held === undefined ? FOREIGN : 0;
  return event.isTrusted && now() - takenAt < foreign;
}

function onKey(event: Event): void {
  if (!isForeign(event)) return;
  droppedAt = now();
  drop(event);
}

/** Text input without a key is not typing: a test driver inserts it into the field that it just focused. */
function onInput(event: Event): void {
  if (held === 2 || now() - droppedAt < FOREIGN) onKey(event);
}

/** Input method text cannot be cancelled. Without a focused field, it goes nowhere. */
function onComposition(event: Event): void {
  if (!isForeign(event)) return;
  drop(event);
  releaseFocus();
}

function onKeyboard(event: Event): void {
  // Tab entered or leaves this view.
  if (event.isTrusted && keyOf(event) === "Tab") takenAt = Number.NEGATIVE_INFINITY;
  else onKey(event);
}

function onKeyDown(event: Event): void {
  if (event.isTrusted && keyOf(event) === "Tab") tab = event;
}

/** Listens in the view's window, or for presses in a same-origin frame. Listening twice has no effect. */
export function watchInput(win: Window): void {
  for (const type of ["pointerdown", "click"]) listen(win, type, press);
  if (win !== window) return;
  listen(win, "focus", takeFocus);
  listen(win, "blur", leave);
  listen(win, "focusin", stay);
  for (const type of ["keydown", "keypress", "keyup"]) listen(win, type, onKeyboard);
  listen(win, "keydown", onKeyDown);
  listen(win, "paste", onKey);
  listen(win, "beforeinput", onInput);
  for (const type of ["compositionstart", "compositionupdate"]) listen(win, type, onComposition);
}
