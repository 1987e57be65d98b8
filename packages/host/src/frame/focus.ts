/**
 * The keyboard is the person's: no app takes it from a field of the page.
 *
 * @module
 */
import { McpAppElement } from "../element.js";

const FIELD = "input,textarea,select,[contenteditable]";

/**
 * Gives the focus back to a field of the page when an app took it by itself; what a person types there is not the
 * app's (attack D09). Until that person points at the app or presses Tab, it can do so no more. Where nothing hovers,
 * as on a touch screen, nobody can tell who did it, and nothing is done.
 *
 * Importing `@vitrine/host/define` does it for the page. Returns what ends it.
 *
 * @example
 * ```ts source="../frame.examples.ts#keepFocus"
 * const release = keepFocus();
 * ```
 */
export function keepFocus(): () => void {
  /** Frames that took it. */
  const held = new Set<HTMLElement>();
  /** What has just lost the focus, if it is a field. */
  let left: HTMLElement | undefined;
  let isTab = false;
  const release = (): void => {
    for (const frame of held) frame.inert = false;
    held.clear();
  };
  const hear = (event: Event): void => {
    const [target] = event.composedPath();
    if (event.type === "keydown") {
      isTab = (event as KeyboardEvent).key === "Tab";
      if (isTab) release();
    } else if (event.type === "focusout" && target instanceof HTMLElement && target.matches(FIELD)) {
      left = target;
      setTimeout(() => {
        left = undefined;
      });
    } else if (event.type === "blur" && target === window) judge();
  };
  /** The page lost the focus to one of its frames: to which, and by whom? */
  const judge = (): void => {
    let app = document.activeElement;
    while (app && !(app instanceof McpAppElement)) app = app.shadowRoot?.activeElement ?? null;
    if (!app || !left || isTab || app.matches(":hover") || matchMedia("(hover: none)").matches) return;
    const frame = app.shadowRoot?.querySelector("iframe");
    if (!frame) return;
    frame.inert = true;
    held.add(frame);
    app.addEventListener("pointerenter", release, { once: true });
    const field = left;
    // When the browser is done with what it does now, which would undo it.
    setTimeout(() => {
      window.focus();
      field.focus();
    });
  };
  const types = ["keydown", "focusout", "blur"];
  for (const type of types) addEventListener(type, hear, true);
  return () => {
    release();
    for (const type of types) removeEventListener(type, hear, true);
  };
}
