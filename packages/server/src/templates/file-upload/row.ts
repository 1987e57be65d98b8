/**
 * A file in the list: its name, state and buttons.
 *
 * @module
 */
import { element, put, set } from "../page/dom.js";

/** States of a file with their labels; empty if nothing has happened yet. */
const STATES = { "": "", waiting: "Waiting", busy: "Sending …", done: "Sent", failed: "" };

/** State of a file. */
export type RowState = keyof typeof STATES;

/** A displayed file. */
export interface Row {
  readonly node: HTMLElement;
  readonly file: File;
  readonly state: RowState;
  /** Shows a state, with an optional text instead of the default label. */
  show(state: RowState, text?: string): void;
  /** Formats the size for the locale. */
  redraw(): void;
}

/** Creates the row of a file. Without `retry`, it cannot be sent by itself. */
export function rowOf(
  file: File,
  written: (bytes: number) => string,
  remove: () => unknown,
  retry: false | undefined | (() => unknown),
): Row {
  const { name, size, type } = file;
  const button = (label: string, onclick: () => unknown): HTMLElement =>
    element("button", { onclick, "aria-label": `${label} ${name}` }, label);
  const note = element("span", { class: "note" });
  const word = element("p");
  const remover = button("Remove", remove);
  const retrier = retry && button("Try again", retry);
  const about = element("div", {}, element("b", { dir: "auto" }, name), note, word);
  const node = element("li", { tabindex: -1 }, about, retrier, remover);
  const row = {
    node,
    file,
    state: "" as RowState,
    show(state: RowState, text = STATES[state]) {
      row.state = state;
      put(word, text);
      set(word, "class", state);
      set(remover, "hidden", !!state && state !== "failed");
      if (retrier) set(retrier, "hidden", state !== "failed");
      // If the focused button disappears, the focus moves to its row.
      if (node.querySelector("[hidden]:focus")) node.focus();
    },
    redraw: () => put(note, written(size), type && ` · ${type}`),
  };
  void showPicture(file, about);
  row.show("");
  row.redraw();
  return row;
}

/**
 * Draws a thumbnail on a canvas. It needs no image URL, so no CSP can block it. Other files are left alone.
 */
async function showPicture(file: File, before: Element): Promise<void> {
  try {
    const picture = await createImageBitmap(file, { resizeWidth: 80 });
    const { width, height } = picture;
    const canvas = element("canvas", { width, height });
    canvas.getContext("bitmaprenderer")?.transferFromImageBitmap(picture);
    before.after(canvas);
  } catch {
    // Most files are not images.
  }
}
