/**
 * Blocks escapes from a view that no header blocks, but a script before all others can: modified clicks on
 * links and submit buttons, which download or open a tab, and `execCommand("copy")` without permission.
 * Same-origin frames of the view are covered too, as far as they can be reached.
 */
import { watchInput } from "./input.js";
import { clickMayNavigate, enterMaySubmit } from "./links.js";
import {
  addNew,
  drop,
  hasAlt,
  hasCtrl,
  hasMeta,
  hasShift,
  isModified,
  isOver,
  isPrevented,
  keyCodeOf,
  keyOf,
  listen,
  now,
  prevent,
} from "./originals.js";

/** Milliseconds after a key press in which its copy happens. */
const COPY = 1000;

/** Documents that are already guarded: a loading frame keeps its window, but gets another document. */
const closed = new WeakSet<object>();
const Observer = MutationObserver;

function onClick(click: Event): void {
  if (isModified(click) && clickMayNavigate(click)) prevent(click);
}

function onEnter(event: Event): void {
  const isWithModifier = hasAlt(event) || hasCtrl(event) || hasMeta(event) || hasShift(event);
  if (keyOf(event) === "Enter" && isWithModifier && enterMaySubmit(event)) prevent(event);
}

/** Ctrl or Command with C, X or Insert, or Shift with Delete; by key code, independent of the layout. */
function isCopyKey(event: Event): boolean {
  const code = keyCodeOf(event);
  const isShortcut = (code === 67 || code === 88 || code === 45) && (hasCtrl(event) || hasMeta(event));
  return isShortcut || (code === 46 && hasShift(event));
}

/**
 * Blocks copying without a user action. Returns a function that adds its listeners; adding twice has no
 * effect.
 */
function guardCopy(): (win: Window) => void {
  let askedAt = Number.NEGATIVE_INFINITY;
  let menu: Event | undefined;
  // A user copies with a key or the browser's menu. A script can forge neither.
  const onKey = (event: Event): void => {
    if (!event.isTrusted) return;
    menu = undefined;
    if (isCopyKey(event)) askedAt = now();
  };
  const onMenu = (event: Event): void => {
    if (event.isTrusted) menu = event;
  };
  const onPress = ({ isTrusted }: Event): void => {
    if (isTrusted) menu = undefined;
  };
  const refuse = (event: Event): void => {
    const isMenuOpen = menu && isOver(menu) && !isPrevented(menu);
    if (!isMenuOpen && now() - askedAt > COPY) drop(event);
  };
  return (win) => {
    listen(win, "keydown", onKey);
    listen(win, "contextmenu", onMenu);
    listen(win, "pointerdown", onPress);
    for (const type of ["copy", "cut"]) listen(win, type, refuse);
  };
}

/**
 * Guards a window and its frames. Returns a function that guards it again after `document.open()`, which
 * removes every listener.
 */
export function closeEscapes(win: Window & typeof globalThis, mayCopy: boolean): () => void {
  const listenForCopy = mayCopy ? undefined : guardCopy();
  const inside = (): void => {
    for (let index = 0; index < win.length; index++) {
      try {
        const child = win[index] as Window & typeof globalThis;
        if (addNew(closed, child.document)) closeEscapes(child, mayCopy);
      } catch {
        // A cross-origin or opaque frame.
      }
    }
  };
  const close = (): void => {
    watchInput(win);
    for (const type of ["click", "auxclick"]) listen(win, type, onClick);
    listen(win, "keydown", onEnter);
    listenForCopy?.(win);
    listen(win, "load", inside);
    inside();
  };
  close();
  // The observer survives `document.open()`. A document that is never closed fires no load event, so nothing
  // else would notice.
  new Observer(close).observe(win.document, { childList: true, subtree: true });
  return close;
}
