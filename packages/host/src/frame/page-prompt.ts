/**
 * A question to the person that no frame is there for yet, drawn over the page.
 *
 * @module
 */
import type { Answer } from "../guard/consent.js";
import { buildChrome, make } from "./chrome.js";
import { frameListeners, frameOf } from "./frame.js";
import { type FrameQuestion, prompt, show } from "./prompt.js";

/** Where questions without a frame are in the document; they float over the page. */
let card: { host: HTMLElement; notices: HTMLElement } | undefined;

/**
 * Asks the person in the frame of the view that wants something. While it has none, as before it is shown and after a
 * reload, over the page; a frame that comes then takes the question along. Give it to a gateway as `onask`.
 *
 * @example
 * ```ts source="../gateway/gateway.examples.ts#showView"
 * const gateway = connectGateway({ url: "/api/session", onask: askInPage });
 * const show = (view: GatewayView): void => {
 *   const element = document.createElement("mcp-app");
 *   showView(element, view, { info: { name: "my-chat", version: "1.0.0" } });
 *   place.append(element);
 * };
 * // After a reload: what this tab had.
 * for (const view of await gateway.restoreViews()) show(view);
 * show(await gateway.openView({ server: "weather", tool: "forecast", arguments: { city: "Rome" } }));
 * ```
 */
export async function askInPage(question: FrameQuestion, signal: AbortSignal): Promise<Answer> {
  const place = make("div", {});
  const settle = (): void => {
    const frame = frameOf(question.view);
    (frame?.notices ?? openCard()).append(place);
    // Moved along, it is shown anew, and can say which app asks.
    for (const box of place.querySelectorAll<HTMLElement>("[part~=prompt]")) show(box, question.server);
    if (frame) leave();
  };
  const leave = (): void => {
    frameListeners.delete(settle);
    closeCard();
  };
  frameListeners.add(settle);
  settle();
  try {
    // Of a browser permission the subject says all.
    const isPermission = question.method === "ui/permission";
    return await prompt(place, isPermission ? { ...question, files: [] } : question, signal);
  } finally {
    place.remove();
    leave();
  }
}

function openCard(): HTMLElement {
  if (!card) {
    const host = make("div", {});
    const { box, notices } = buildChrome(host.attachShadow({ mode: "open" }));
    notices.replaceChildren();
    box.replaceChildren(notices);
    document.body.append(host);
    card = { host, notices };
  }
  return card.notices;
}

/** Takes the card away when nothing is on it. */
function closeCard(): void {
  if (!card || card.notices.childElementCount > 0) return;
  card.host.remove();
  card = undefined;
}
