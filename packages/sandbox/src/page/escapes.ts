/**
 * Ways out of a view that no header closes, and that a script before all others can close: modified clicks on links and
 * submit buttons, which download or open a tab (attack E07), and `execCommand("copy")` without permission (attack E06). Frames that the view fills
 * itself are closed too, as far as they can be reached.
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

/** Milliseconds after a key in which the copying that it asks for happens. */
const COPY = 1000;

/** Documents that are closed already: of a frame that loads, the window stays and its document is another. */
const closed = new WeakSet<object>();
const Observer = MutationObserver;

function onClick(click: Event): void {
  if (isModified(click) && clickMayNavigate(click)) prevent(click);
}

function onEnter(event: Event): void {
  const isWithModifier = hasAlt(event) || hasCtrl(event) || hasMeta(event) || hasShift(event);
  if (keyOf(event) === "Enter" && isWithModifier && enterMaySubmit(event)) prevent(event);
}

/** Ctrl or Command with C, X or Insert, or Shift with Delete; by the code that browsers compare, whatever the layout. */
function isCopyKey(event: Event): boolean {
  const code = keyCodeOf(event);
  const isShortcut = (code === 67 || code === 88 || code === 45) && (hasCtrl(event) || hasMeta(event));
  return isShortcut || (code === 46 && hasShift(event));
}

/** Stops copying that no person asked for. Returns what listens for it; listening twice changes nothing. */
function guardCopy(): (win: Window) => void {
  let askedAt = Number.NEGATIVE_INFINITY;
  let menu: Event | undefined;
  // A person copies by a key, or by the browser's menu: a script does neither, and cannot open that menu.
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
 * Closes a window, and those of its frames. Returns what closes it again after `document.open()`, which takes every listener from
 * the window.
 */
export function closeEscapes(win: Window & typeof globalThis, mayCopy: boolean): () => void {
  const listenForCopy = mayCopy ? undefined : guardCopy();
  const inside = (): void => {
    for (let index = 0; index < win.length; index++) {
      try {
        const child = win[index] as Window & typeof globalThis;
        if (addNew(closed, child.document)) closeEscapes(child, mayCopy);
      } catch {
        // Another origin: a declared one, or none at all.
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
  // It stays when the document is opened anew. A document that is never closed does not load, so nobody else notices.
  new Observer(close).observe(win.document, { childList: true, subtree: true });
  return close;
}
