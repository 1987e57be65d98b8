/**
 * The UI around an app: its server, a close button, and messages if it is not shown.
 *
 * @module
 */
import { frameWords, markLanguage } from "../words.js";
import type { FrameFailure } from "./failure.js";

/** The parts of a frame. */
export interface Chrome {
  /** The whole frame. Never moved in the document, because a moved iframe reloads. */
  box: HTMLDialogElement;
  /** Stands in the page for an app in the corner. */
  gap: HTMLElement;
  server: HTMLElement;
  title: HTMLElement;
  close: HTMLButtonElement;
  /** Questions and notices, above the app. */
  notices: HTMLElement;
  /** Notice of an unresponsive app. */
  notice: HTMLElement;
  /** Contains the app's iframe. */
  stage: HTMLElement;
  /** Replaces a failed app. */
  failure: HTMLElement;
  /** The element that had the focus before the app was shown over the page. */
  before?: HTMLElement | null;
}

const STYLE = `
:host{display:block}:host([hidden]){display:none}
dialog{all:unset;display:flex;flex-direction:column;box-sizing:border-box;width:100%;font:13px/1.5 system-ui;color:CanvasText}
[data-border],[data-mode=pip]{border:1px solid #8886;border-radius:8px;overflow:clip}
[data-mode=fullscreen],[data-mode=pip]{position:fixed;inset:0;height:100%;background:Canvas}
[data-mode=pip]{inset:auto;bottom:8px;inset-inline-end:8px;width:min(420px,100% - 16px);height:auto;max-height:calc(100% - 16px);overflow:auto;z-index:9}
[part=header]{display:flex;gap:8px;padding:2px 8px}
[part=server]{max-width:100%;flex:none;font-weight:600;overflow-wrap:anywhere}
[part=title]{flex:1;opacity:.7;overflow:hidden;white-space:nowrap;text-overflow:ellipsis}
button{all:unset;padding:2px 8px;border:1px solid;border-radius:8px;cursor:pointer;margin-block-start:4px;margin-inline-end:8px;display:inline-block}
[part=header] button{margin:0}
[aria-disabled=true]{opacity:.5;cursor:default}
[popover]{inset:auto;margin:0;box-sizing:border-box;width:min(420px,100vw - 16px);max-height:calc(100dvh - 16px);overflow:auto;border:1px solid #8886;border-radius:8px;box-shadow:0 1px 5px #0006;color:CanvasText}
[popover]::backdrop{display:none}
[part~=waiting]{inset:8px 0 auto;margin:auto;width:fit-content;max-width:calc(100vw - 16px)}
[data-covers]::before{content:"";position:fixed;inset:0;z-index:-1}
[part~=prompt]:popover-open,[part=asking]{display:flex;flex-direction:column;min-height:0}
[part=request],[part=answers]{overflow:auto;min-height:3em}
[part=request]{flex:0 999 auto}
[data-compact] pre{max-height:4.5em}
[part=confirm]{text-align:end}
[part=confirm] p{text-align:start}
[part=hint]:empty{display:none}
label{display:block}
:focus-visible{outline:2px solid}
[part~=panel]{box-sizing:border-box;padding:8px;background:#8881;overflow-wrap:anywhere}
[part~=notice]{background:linear-gradient(#fa03,#fa03),Canvas}
[part~=prompt]{background:Canvas;border-top:4px solid #e90;padding:12px}
[part~=prompt] pre{background:#8881}
p,pre{margin:4px 0}
pre{padding:4px 8px;max-height:40vh;border:1px solid #8886;overflow:auto;white-space:pre-wrap}
[part=stage]{flex:auto;min-height:0}
iframe{display:block;border:0;width:100%;height:100%;color-scheme:inherit}
:is([data-state=loading],[data-drawing]) iframe{opacity:0}
:is([data-state=loading],[data-state=released],[data-drawing]) [part=stage]{border-radius:8px;background:#8883}
[data-state=failed] [part=stage],[data-mode=inline] [part=close],[part~=panel]:empty,[hidden]{display:none}
@keyframes wait{to{opacity:.3}}
@media(prefers-reduced-motion:no-preference){[data-state=loading] :has(>iframe){animation:wait .9s infinite alternate}}
`;

/** Shared by all frames; constructed in code, so that a host page's policy need not allow inline styles. */
let sheet: CSSStyleSheet | undefined;

type Props<E> = { [K in keyof E]?: E[K] | string };

/** Creates an element with text: text of an app or its server is never markup. */
export function make<T extends keyof HTMLElementTagNameMap>(
  tag: T,
  props: Props<HTMLElementTagNameMap[T]> | string,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[T] {
  const element = document.createElement(tag);
  Object.assign(element, typeof props === "string" ? { textContent: props, hidden: !props } : props);
  element.append(...children);
  return element;
}

/** Creates a button. */
export const button = (text: string, onclick: (event: MouseEvent) => void): HTMLButtonElement =>
  make("button", { textContent: text, onclick });

/** Builds the parts. */
export function buildChrome(root: ShadowRoot): Chrome {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
  }
  root.adoptedStyleSheets = [sheet];
  const server = make("span", { part: "server", dir: "auto" });
  const title = make("span", { part: "title", dir: "auto" });
  const close = make(
    "button",
    { part: "close" },
    make("slot", { name: "close", textContent: frameWords().close }),
  );
  // Always present, so that screen readers announce its content.
  const notice = make("div", { part: "notice panel", role: "status" });
  const notices = make("div", { part: "notices" }, notice);
  const stage = make("div", { part: "stage" });
  const failure = make("div", { part: "failure panel", role: "alert" });
  // Inline it is a group; over the page it is a dialog.
  const props = { part: "box", role: "group" };
  const header = make("div", { part: "header" }, server, title, close);
  const box = make("dialog", props, header, notices, stage, failure);
  Object.assign(box.dataset, { mode: "inline", state: "loading" });
  markLanguage(box);
  const gap = make("div", { part: "gap panel", hidden: true });
  root.append(box, gap);
  return { box, gap, server, title, close, notices, notice, stage, failure };
}

/** Shows why there is no app, and the tool's text. */
export function showFailure(
  { failure }: Chrome,
  { message, detail = "" }: FrameFailure,
  text: string,
  retry: () => void,
): void {
  const again = button(frameWords().tryAgain, retry);
  const words = [make("p", message), make("p", { dir: "auto", textContent: detail, hidden: !detail }), again];
  const result = make("pre", { dir: "auto", textContent: text, hidden: !text });
  failure.replaceChildren(make("slot", { name: "failure" }, ...words, result));
}

/** Shows what the user should know about an app: what is wrong, with a stop button, or else a note. */
export function showNotice(
  { notice }: Chrome,
  problem: "silent" | "froze" | "",
  note: string,
  stop: () => void,
): void {
  const words = frameWords();
  notice.replaceChildren(...(problem ? [`${words[problem]} `, button(words.stop, stop)] : [note]));
}
