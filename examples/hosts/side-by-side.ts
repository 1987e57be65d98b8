import type { McpAppElement } from "@vitrine/host";

/** Moves an app between the conversation and a pane beside it. It keeps running where the browser has `moveBefore`. */
export function moveTo(place: Element, app: McpAppElement) {
  if ("moveBefore" in place) place.moveBefore(app, null);
  else (place as Element).append(app);
}

/** In the pane, the app fills it, and runs wherever the conversation is scrolled to. */
export function showInPane(pane: Element, app: McpAppElement) {
  moveTo(pane, app);
  app.toggleAttribute("keep", true);
  const { clientWidth: width, clientHeight: height } = pane;
  app.frame?.setDimensions({ width, height });
}

/** Back in the conversation, its content decides about its height. */
export function showInConversation(turn: Element, app: McpAppElement) {
  moveTo(turn, app);
  app.toggleAttribute("keep", false);
  app.frame?.setDimensions();
}
