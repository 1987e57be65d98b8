/**
 * A question to the person that no frame is there for yet, drawn over the page.
 *
 * @module
 */
import type { Answer } from "../guard/consent.js";
import { buildChrome, make } from "./chrome.js";
import { frameListeners, frameOf } from "./frame.js";
import { type FrameQuestion, prompt } from "./prompt.js";

/** The card over the page, for all questions that have no frame. */
let card: { host: HTMLElement; notices: HTMLElement } | undefined;

/**
 * Asks the person in the frame of the view that wants something. While it has none, as before it is shown and after a
 * reload, over the page; a frame that comes then takes the question along. Give it to a gateway as `onask`.
 *
 * @example
 * ```ts source="../gateway/gateway.examples.ts#showView"
 * ```
 */
export async function askInPage(question: FrameQuestion, signal: AbortSignal): Promise<Answer> {
  const place = make("div", {});
  const settle = (): void => {
    const frame = frameOf(question.view);
    (frame?.notices ?? openCard()).append(place);
    if (frame) leave();
  };
  const leave = (): void => {
    frameListeners.delete(settle);
    closeCard();
  };
  frameListeners.add(settle);
  settle();
  try {
    return await prompt(place, question, signal);
  } finally {
    place.remove();
    leave();
  }
}

function openCard(): HTMLElement {
  if (!card) {
    const host = make("div", {});
    const { box, close, stage, notice, notices } = buildChrome(host.attachShadow({ mode: "open" }));
    for (const part of [close, stage, notice]) part.remove();
    document.body.append(host);
    // In the top layer, and without the focus: nothing that is typed elsewhere answers (attack C21).
    box.dataset["mode"] = "pip";
    box.showPopover();
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
