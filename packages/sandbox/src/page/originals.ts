/**
 * Methods and getters of events, captured before the view's own scripts run. A view can replace all of them
 * in its window, so the guards in this folder use only these.
 */
const { apply, getOwnPropertyDescriptor } = Reflect;
const { addEventListener } = EventTarget.prototype;
const { composedPath, preventDefault, stopImmediatePropagation } = Event.prototype;
const mouse = MouseEvent.prototype;
const keyboard = KeyboardEvent.prototype;

/** Captures the browser's getter of a property. */
export function getter<T>(owner: object, name: string): (of: object) => T {
  const get = getOwnPropertyDescriptor(owner, name)?.get as () => T;
  return (of) => apply(get, of, []);
}

export const now = performance.now.bind(performance);
export const dateNow = Date.now;
export const later = setTimeout.bind(window);
export const targetOf = getter<EventTarget>(Event.prototype, "target");
/** The time of an event on the clock of {@link now}: when the user pressed, even if the view was busy. */
export const timeOf = getter<number>(Event.prototype, "timeStamp");
export const isPrevented = getter<boolean>(Event.prototype, "defaultPrevented");
const phase = getter<number>(Event.prototype, "eventPhase");
/** Whether all listeners have received an event. */
export const isOver = (event: Event): boolean => phase(event) === 0;
export const dataOf = getter<number | "focus">(MessageEvent.prototype, "data");
export const keyOf = getter<string>(keyboard, "key");
export const keyCodeOf = getter<number>(keyboard, "keyCode");
export const hasAlt = getter<boolean>(keyboard, "altKey");
export const hasShift = getter<boolean>(keyboard, "shiftKey");
export const hasCtrl = getter<boolean>(keyboard, "ctrlKey");
export const hasMeta = getter<boolean>(keyboard, "metaKey");
const button = getter<number>(mouse, "button");
const alt = getter<boolean>(mouse, "altKey");
const ctrl = getter<boolean>(mouse, "ctrlKey");
const meta = getter<boolean>(mouse, "metaKey");
const shift = getter<boolean>(mouse, "shiftKey");
/** Whether a click is not a plain one with the main button. */
export const isModified = (click: Event): boolean =>
  button(click) !== 0 || alt(click) || ctrl(click) || meta(click) || shift(click);

const focused = getter<Element | null>(Document.prototype, "activeElement");
const { blur } = HTMLElement.prototype;
/** Removes the focus from the active element of this document. */
export function releaseFocus(): void {
  const element = focused(document);
  if (element) apply(blur, element, []);
}
export const hasFocus = Document.prototype.hasFocus.bind(document);

const localName = getter<string>(Element.prototype, "localName");
/** An element's name; empty for other nodes. */
export function nameOf(node: EventTarget): string {
  try {
    return localName(node);
  } catch {
    return "";
  }
}

/** Adds a capturing listener. */
export const listen = (to: EventTarget, type: string, act: (event: Event) => void): void =>
  apply(addEventListener, to, [type, act, true]);
export const pathOf = (event: Event): EventTarget[] => apply(composedPath, event, []);
export const prevent = (event: Event): void => apply(preventDefault, event, []);
/** Hides an event from all later listeners, and prevents its default action. */
export function drop(event: Event): void {
  prevent(event);
  apply(stopImmediatePropagation, event, []);
}

const { has, add } = WeakSet.prototype;
/** Adds to a set. Returns whether it was new. */
export function addNew(set: WeakSet<object>, value: object): boolean {
  if (apply(has, set, [value])) return false;
  apply(add, set, [value]);
  return true;
}
