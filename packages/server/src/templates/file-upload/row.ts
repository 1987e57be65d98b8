/**
 * One file in the list: what it is, how far it is, and what can be done with it.
 *
 * @module
 */
import { element, put, set } from "../page/dom.js";

/** How far a file is, with what is said of it; empty when nothing was done with it yet. */
const STATES = { "": "", waiting: "Waiting", busy: "Sending …", done: "Sent", failed: "" };

/** How far a file is. */
export type RowState = keyof typeof STATES;

/** A file, shown. */
export interface Row {
  readonly node: HTMLElement;
  readonly file: File;
  readonly state: RowState;
  /** Shows how far it is, with words about it that are better than the usual ones. */
  show(state: RowState, text?: string): void;
  /** Writes its size as people here do. */
  redraw(): void;
}

/** Shows a file. Without `retry`, it cannot be sent by itself. */
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
      // Who pressed a button that is gone stays at its file.
      if (node.querySelector("[hidden]:focus")) node.focus();
    },
    redraw: () => put(note, written(size), type && ` · ${type}`),
  };
  void showPicture(file, about);
  row.show("");
  row.redraw();
  return row;
}

/** Draws it small. No address of a picture is needed, so no policy is in the way; what is no picture stays as it is. */
async function showPicture(file: File, before: Element): Promise<void> {
  try {
    const picture = await createImageBitmap(file, { resizeWidth: 80 });
    const { width, height } = picture;
    const canvas = element("canvas", { width, height });
    canvas.getContext("bitmaprenderer")?.transferFromImageBitmap(picture);
    before.after(canvas);
  } catch {
    // Most files are none.
  }
}
