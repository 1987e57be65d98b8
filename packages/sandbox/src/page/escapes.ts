/**
 * Ways out of a view that no header closes, and that a script before all others can close: modified clicks on links, which
 * download or open a tab (attack E07), and `execCommand("copy")` without permission (attack E06). Frames that the view fills
 * itself are closed too, as far as they can be reached.
 */

/** Milliseconds after a key in which the copying that it asks for happens. */
const COPY = 1000;

/** Windows and documents that are closed already: of a frame that loads, the window stays and its document is another. */
const closed = new WeakSet<object>();

export function closeEscapes(win: Window & typeof globalThis, mayCopy: boolean): void {
  const { document } = win;
  const listen = (type: string, act: (event: Event) => void): void => win.addEventListener(type, act, true);
  const follow = (event: Event): void => {
    const { button, altKey, ctrlKey, metaKey, shiftKey } = event as MouseEvent;
    if (button === 0 && !altKey && !ctrlKey && !metaKey && !shiftKey) return;
    if (event.composedPath().some((node) => /^(a|area)$/i.test(`${(node as Element).localName}`)))
      event.preventDefault();
  };
  for (const type of ["click", "auxclick"]) listen(type, follow);
  if (!mayCopy) {
    // A person copies by a key, or by a menu: a script does neither.
    let askedAt = Number.NEGATIVE_INFINITY;
    const asked = (event: Event): void => {
      if (event.isTrusted) askedAt = event.timeStamp;
    };
    listen("keydown", (event) => {
      const { ctrlKey, metaKey } = event as KeyboardEvent;
      if (ctrlKey || metaKey) asked(event);
    });
    let hasMenu = false;
    listen("contextmenu", ({ isTrusted }) => {
      hasMenu ||= isTrusted;
    });
    listen("pointerdown", ({ isTrusted }) => {
      hasMenu &&= !isTrusted;
    });
    const refuse = (event: Event): void => {
      if (hasMenu || event.timeStamp - askedAt < COPY) return;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    for (const type of ["copy", "cut"]) listen(type, refuse);
  }
  const inside = (): void => {
    for (let index = 0; index < win.length; index++) {
      try {
        const child = win[index] as Window & typeof globalThis;
        if (closed.has(child.document)) continue;
        closed.add(child.document);
        closeEscapes(child, mayCopy);
      } catch {
        // Another origin: a declared one, or none at all.
      }
    }
  };
  new MutationObserver(inside).observe(document, { childList: true, subtree: true });
  listen("load", inside);
}
