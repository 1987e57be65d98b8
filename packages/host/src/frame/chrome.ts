/**
 * What a frame draws around an app: who it is from, how to close it, and what to say when it is not there.
 *
 * @module
 */

import type { Failure } from "./failure.js";

/** The parts of a frame. */
export interface Chrome {
  /** Everything. Never moved in the document: an iframe that moves begins anew. */
  box: HTMLDialogElement;
  title: HTMLElement;
  close: HTMLButtonElement;
  /** Questions and notices, above the app. */
  notices: HTMLElement;
  /** The app's iframe goes here. */
  stage: HTMLElement;
  /** In place of the app when it failed. */
  failure: HTMLElement;
}

const STYLE = `
:host { display: block; min-width: 0 }
dialog { all: unset; display: flex; flex-direction: column; box-sizing: border-box; width: 100%;
  font: 13px/1.5 system-ui, sans-serif; color: light-dark(#1b1b1f, #f2f2f5) }
dialog[data-border] { border: 1px solid light-dark(#c9c9d1, #47474f); border-radius: 8px; overflow: clip }
dialog[data-mode=fullscreen] { position: fixed; inset: 0; height: 100%; background: Canvas }
dialog[data-mode=pip] { position: fixed; inset: auto 16px 16px auto; width: min(420px, 90vw); background: Canvas;
  border: 1px solid light-dark(#c9c9d1, #47474f); border-radius: 8px; overflow: clip; box-shadow: 0 8px 32px #0004; z-index: 2147483647 }
header { display: flex; align-items: center; gap: 8px; padding: 2px 8px; min-height: 24px;
  color: light-dark(#5e5e68, #a6a6b0) }
header span { flex: 1; overflow: hidden; white-space: nowrap; text-overflow: ellipsis }
[data-mode=inline] > header button { display: none }
button { font: inherit; color: inherit; padding: 2px 10px; border: 1px solid light-dark(#85858f, #777782); border-radius: 6px;
  background: none; cursor: pointer; margin: 0 6px 0 0 }
button:focus-visible, iframe:focus-visible { outline: 2px solid light-dark(#0b4fb3, #8fbcff); outline-offset: 1px }
[part=prompt], [part=notice], [part=failure] { padding: 8px 12px; background: light-dark(#fff3d6, #3d2c0a);
  color: light-dark(#1b1b1f, #f2f2f5) }
[part=failure] { background: light-dark(#f6f6f8, #232328) }
p { margin: 4px 0; overflow-wrap: anywhere }
pre { margin: 4px 0 8px; max-height: 160px; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; font-size: 12px }
main { position: relative; flex: none; overflow: hidden }
[data-mode=fullscreen] > main { flex: 1 }
iframe { display: block; border: 0; width: 100%; height: 100%; opacity: 0; color-scheme: inherit }
[data-state=ready] > main > iframe { opacity: 1; transition: opacity .12s }
[data-state=loading] > main::before { content: ""; position: absolute; inset: 0; border-radius: 8px;
  background: linear-gradient(90deg, #8881, #8883, #8881) 0 0 / 200% 100%; animation: wait 1.4s linear infinite }
[data-state=failed] > main, [hidden] { display: none }
@keyframes wait { to { background-position: -200% 0 } }
@media (prefers-reduced-motion: reduce) { main::before { animation: none } }
`;

/** One for all frames; made in code, so that a host page's own policy need not allow inline styles. */
let sheet: CSSStyleSheet | undefined;

/** Builds the parts. */
export function buildChrome(root: ShadowRoot): Chrome {
  sheet ??= new CSSStyleSheet();
  if (sheet.cssRules.length === 0) sheet.replaceSync(STYLE);
  root.adoptedStyleSheets = [sheet];
  const part = <T extends keyof HTMLElementTagNameMap>(tag: T, name: string, ...children: Element[]) => {
    const element = document.createElement(tag);
    element.setAttribute("part", name);
    element.append(...children);
    return element;
  };
  const title = part("span", "title");
  const close = part("button", "close");
  close.type = "button";
  close.textContent = "Close";
  const header = part("header", "header", title, close);
  const notices = part("div", "notices");
  const stage = part("main", "stage");
  // Not a landmark of the page: there may be many.
  stage.setAttribute("role", "presentation");
  const failure = part("div", "failure");
  failure.setAttribute("role", "alert");
  failure.hidden = true;
  const box = part("dialog", "box", header, notices, stage, failure);
  // In the conversation it is no dialog; over the page it is one.
  box.setAttribute("role", "group");
  box.dataset["mode"] = "inline";
  box.dataset["state"] = "loading";
  box.popover = "manual";
  root.append(box);
  return { box, title, close, notices, stage, failure };
}

/** Says why there is no app, and what the tool said in text (C07). */
export function showFailure(
  { failure }: Chrome,
  { message, detail }: Failure,
  text: string,
  retry: () => void,
): void {
  const again = document.createElement("button");
  again.type = "button";
  again.textContent = "Try again";
  again.onclick = retry;
  // Text only: the detail is the view's word, and the rest the server's.
  failure.replaceChildren(paragraph(message), paragraph(detail ?? ""), again, pre(text));
}

/** Says that an app does not respond, and offers to stop it (attack D01); or says it no longer. */
export function showNotice({ notices }: Chrome, silent: boolean, stop: () => void): void {
  notices.querySelector("[part=notice]")?.remove();
  if (!silent) return;
  const notice = document.createElement("div");
  notice.setAttribute("part", "notice");
  notice.setAttribute("role", "status");
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Stop it";
  button.onclick = stop;
  notice.append("This app does not respond. ", button);
  notices.append(notice);
}

const element = (tag: string, text: string): HTMLElement =>
  Object.assign(document.createElement(tag), { textContent: text, hidden: text === "" });
const paragraph = (text: string): HTMLElement => element("p", text);
const pre = (text: string): HTMLElement => element("pre", text);
