/**
 * Presses and keys in a view. The host is told of presses, and of Tab that leads out of the view; keys that were meant for the
 * page are dropped. Runs before every script of the view, so that none gets an event first.
 */
import {
  dataOf,
  dateNow,
  drop,
  hasFocus,
  isPrevented,
  keyOf,
  listen,
  now,
  releaseFocus,
  targetOf,
  timeOf,
} from "./originals.js";

/** Milliseconds after this window took the focus by itself, in which keys are dropped if the host says nothing. */
const FOREIGN = 250;
/** Milliseconds after a press in which nobody can have gone elsewhere and typed there. The host judges focus that moves later. */
const PRESS = 200;
/** Milliseconds after Tab in which the focus moves. */
const TAB = 500;

let pressedAt = Number.NEGATIVE_INFINITY;
let takenAt = Number.NEGATIVE_INFINITY;
let droppedAt = Number.NEGATIVE_INFINITY;
/** 1: something outside of this view takes keys. 2: somebody is typing there. As the host says; some never say it. */
let held: number | undefined;
/** The Tab that may lead out of this view. */
let tab: Event | undefined;

const { port1, port2 } = new MessageChannel();
const send = port1.postMessage.bind(port1);
const focus = window.focus.bind(window);
port1.onmessage = (event) => {
  const data = dataOf(event);
  if (data === "focus") focus();
  else held = data;
};
let isOffered = false;

/** The proxy's end of the port on which it is notified; once for each document. */
export function inputPorts(): MessagePort[] {
  if (isOffered) return [];
  isOffered = true;
  return [port2];
}

/** Says when the event was, on the clock that all pages share: a busy view may get it late, and so may the host. */
const notify = (event: Event, isTab: boolean): void =>
  send({ tab: isTab, at: dateNow() - now() + timeOf(event) });

function press(event: Event): void {
  if (!event.isTrusted) return;
  pressedAt = timeOf(event);
  // A busy view gets a press late. The person may be typing elsewhere by then: the host decides.
  if (now() - pressedAt <= PRESS) takenAt = Number.NEGATIVE_INFINITY;
  notify(event, false);
}

function takeFocus(event: Event): void {
  if (targetOf(event) === window && now() - pressedAt > PRESS) takenAt = now();
}

/** Tab that stays in this view tells nobody: it excuses no other app that takes the focus. */
function leave(event: Event): void {
  if (targetOf(event) !== window) return;
  if (tab && !isPrevented(tab) && now() - timeOf(tab) < TAB && !hasFocus()) notify(tab, true);
  tab = undefined;
  // Until the host says more, the focus went to something that takes keys.
  if (held === 0) held = 1;
}

function stay(): void {
  tab = undefined;
}

function isForeign(event: Event): boolean {
  const foreign = held ? Number.POSITIVE_INFINITY : held === undefined ? FOREIGN : 0;
  return event.isTrusted && now() - takenAt < foreign;
}

function onKey(event: Event): void {
  if (!isForeign(event)) return;
  droppedAt = now();
  drop(event);
}

/** Text without a key is no typing at rest: a test driver puts it into the field that it has just focused. */
function onInput(event: Event): void {
  if (held === 2 || now() - droppedAt < FOREIGN) onKey(event);
}

/** Text of an input method cannot be cancelled. Without a focused field, it goes nowhere. */
function onComposition(event: Event): void {
  if (!isForeign(event)) return;
  drop(event);
  releaseFocus();
}

function onKeyboard(event: Event): void {
  // Tab led here, or leads out of here.
  if (event.isTrusted && keyOf(event) === "Tab") takenAt = Number.NEGATIVE_INFINITY;
  else onKey(event);
}

function onKeyDown(event: Event): void {
  if (event.isTrusted && keyOf(event) === "Tab") tab = event;
}

/** Listens in the view's window, or for presses in that of a frame that it fills. Listening twice changes nothing. */
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
