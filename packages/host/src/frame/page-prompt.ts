/**
 * Questions to the user that have no frame yet, drawn over the page.
 *
 * @module
 */
import type { ConsentAnswer } from "@vitrine/guard";
import { buildChrome, make } from "./chrome.js";
import { frameListeners, frameOf } from "./frames.js";
import { type FrameQuestion, prompt, show } from "./prompt.js";

/** Containers of questions without a frame, by the page's element; they float near it. */
const cards = new Map<HTMLElement, HTMLElement>();

/**
 * Asks the user in the frame of the requesting view. Without a frame, as before it is shown and after a
 * reload, it asks over the page, near the element that `near` returns; a new frame takes over the question.
 * Pass it to a gateway as `onask`.
 *
 * @example
 * ```ts source="../gateway/gateway.examples.ts#showView"
 * const gateway = connectGateway({ url: "/api/session", onask: askInPage });
 * const show = (view: GatewayView): void => {
 *   const element = document.createElement("mcp-app");
 *   showView(element, view, { info: { name: "my-chat", version: "1.0.0" } });
 *   place.append(element);
 * };
 * // After a reload: this tab's views.
 * for (const view of await gateway.restoreViews()) show(view);
 * show(await gateway.openView({ server: "weather", tool: "forecast", arguments: { city: "Rome" } }));
 * ```
 */
export async function askInPage(
  question: FrameQuestion,
  signal: AbortSignal,
  near?: () => HTMLElement | undefined,
): Promise<ConsentAnswer> {
  const place = make("div", {});
  const settle = (): void => {
    const frame = frameOf(question.view);
    if (place.isConnected && !frame) return;
    (frame?.notices ?? openCard(near?.())).append(place);
    // After moving, it is shown again, and can name the app.
    for (const box of place.querySelectorAll<HTMLElement>("[part~=prompt]")) show(box, question.server);
    if (frame) leave();
  };
  const leave = (): void => {
    frameListeners.delete(settle);
    closeCards();
  };
  frameListeners.add(settle);
  settle();
  // The question appears near it. An app must not scroll itself under the pointer by asking something.
  if (!frameOf(question.view)) place.scrollIntoView({ block: "nearest" });
  try {
    // For a browser permission, the subject says everything.
    const isPermission = question.method === "ui/permission";
    return await prompt(place, isPermission ? { ...question, files: [] } : question, signal);
  } finally {
    place.remove();
    leave();
  }
}

function openCard(near = document.body): HTMLElement {
  const open = cards.get(near);
  if (open) return open;
  const host = make("div", {});
  const { box, notices } = buildChrome(host.attachShadow({ mode: "open" }));
  notices.replaceChildren();
  box.replaceChildren(notices);
  near.append(host);
  cards.set(near, notices);
  return notices;
}

/** Removes empty cards. */
function closeCards(): void {
  for (const [near, notices] of cards) {
    if (notices.childElementCount > 0) continue;
    (notices.getRootNode() as ShadowRoot).host.remove();
    cards.delete(near);
  }
}
