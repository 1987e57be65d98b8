/**
 * Ways out of a view that no header closes, and that a script before all others can close: modified clicks on links, which
 * download or open a tab (attack E07), and `execCommand("copy")` without permission (attack E06). Frames that the view fills
 * itself are closed too, as far as they can be reached.
 */
import {
  addNew,
  drop,
  hasCtrl,
  hasMeta,
  isModified,
  listen,
  nameOf,
  now,
  pathOf,
  prevent,
} from "./originals.js";

/** Milliseconds after a key in which the copying that it asks for happens. */
const COPY = 1000;

/** Windows and documents that are closed already: of a frame that loads, the window stays and its document is another. */
const closed = new WeakSet<object>();
const Observer = MutationObserver;

/** Form controls: modified clicks on them are common, and no link can hide in them, as they have no shadow root. */
const isControl = (name: string): boolean =>
  name === "input" || name === "label" || name === "button" || name === "select" || name === "option";

function follow(click: Event): void {
  if (!isModified(click)) return;
  const path = pathOf(click);
  // In a closed shadow root, a link is not on the path: all that is known is what it is in.
  let mayFollow = !path[0] || !isControl(nameOf(path[0]));
  for (let index = 0; index < path.length; index++) {
    const name = nameOf(path[index] as EventTarget);
    mayFollow ||= name === "a" || name === "area";
  }
  if (mayFollow) prevent(click);
}

export function closeEscapes(win: Window & typeof globalThis, mayCopy: boolean): void {
  const { document } = win;
  for (const type of ["click", "auxclick"]) listen(win, type, follow);
  if (!mayCopy) {
    // A person copies by a key, or by a menu: a script does neither.
    let askedAt = Number.NEGATIVE_INFINITY;
    listen(win, "keydown", (event) => {
      if (event.isTrusted && (hasCtrl(event) || hasMeta(event))) askedAt = now();
    });
    let hasMenu = false;
    listen(win, "contextmenu", ({ isTrusted }) => {
      hasMenu ||= isTrusted;
    });
    listen(win, "pointerdown", ({ isTrusted }) => {
      hasMenu &&= !isTrusted;
    });
    const refuse = (event: Event): void => {
      if (!hasMenu && now() - askedAt > COPY) drop(event);
    };
    for (const type of ["copy", "cut"]) listen(win, type, refuse);
  }
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
  new Observer(inside).observe(document, { childList: true, subtree: true });
  listen(win, "load", inside);
}
