/**
 * Display modes, by CSS and the top layer: the iframe never moves in the document.
 *
 * @module
 */
import type { DisplayMode } from "@vitrine/protocol";
import type { Chrome } from "./chrome.js";

/** What had the focus before an app was shown over the page. */
const before = new WeakMap<Chrome, Element>();

/** Shows a frame in a mode. */
export function showMode(chrome: Chrome, mode: DisplayMode): void {
  const { box, close } = chrome;
  const was = box.dataset["mode"];
  if (was === mode) return;
  if (was === "inline" && document.activeElement) before.set(chrome, document.activeElement);
  if (box.open) box.close();
  if (box.matches(":popover-open")) box.hidePopover();
  box.dataset["mode"] = mode;
  box.setAttribute("role", mode === "inline" ? "group" : "dialog");
  // Over everything, and the rest of the page out of reach.
  if (mode === "fullscreen") box.showModal();
  if (mode === "pip") box.showPopover();
  if (mode !== "inline") close.focus();
  else (before.get(chrome) as HTMLElement | undefined)?.focus?.();
}
