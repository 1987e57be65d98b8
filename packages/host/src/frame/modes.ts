/**
 * Display modes by CSS: the iframe never moves in the document. Fullscreen uses the top layer;
 * picture-in-picture does not, because there it would cover the page's own dialogs and menus.
 *
 * @module
 */
import type { DisplayMode } from "@vitrine/protocol";
import { frameWords, markLanguage } from "../words.js";
import { button, type Chrome } from "./chrome.js";
import { openQuestions } from "./page-layout.js";

/** Shows a frame in a mode. */
export function showMode(chrome: Chrome, mode: DisplayMode): void {
  const { box, close, gap } = chrome;
  const was = box.dataset["mode"];
  if (was === mode) return;
  if (was === "inline") chrome.before = document.activeElement as HTMLElement | null;
  // The user may have moved on in the page.
  const hadFocus = (box.getRootNode() as Document | ShadowRoot).activeElement !== null;
  // The conversation around it does not move.
  if (mode === "pip") fillGap(chrome);
  if (was === "inline") gap.style.height = `${box.offsetHeight}px`;
  gap.hidden = mode !== "pip";
  box.close();
  box.dataset["mode"] = mode;
  box.role = mode === "inline" ? "group" : "dialog";
  // Over everything; the rest of the page is inert.
  if (mode === "fullscreen") box.showModal();
  // Questions stay above it.
  for (const question of chrome.notices.querySelectorAll<HTMLElement>(":popover-open")) {
    question.hidePopover();
    question.showPopover();
  }
  for (const question of openQuestions) question.onModeChange();
  if (mode !== "inline") close.focus();
  else if (hadFocus) chrome.before?.focus?.();
}

/** Keeps the app's place, with a way back. */
function fillGap({ close, gap }: Chrome): void {
  const { inCorner, bringBack } = frameWords();
  markLanguage(gap);
  gap.replaceChildren(
    `${inCorner} `,
    button(bringBack, () => close.click()),
  );
}
