import type { GatewayAnswer, GatewayQuestion } from "@vitrine/protocol";
import { Bridge } from "../bridge.js";
import { askInPage } from "../frame/page-prompt.js";
import { showView } from "./app-options.js";
import { connectGateway } from "./gateway.js";
import type { GatewayView } from "./view.js";

export async function connectGatewayExample(
  show: (text: string) => void,
  ask: (question: GatewayQuestion, signal: AbortSignal) => Promise<GatewayAnswer>,
) {
  //#region connectGateway
  const gateway = connectGateway({
    url: "/session",
    onstate: ({ phase }) => show(phase),
    onask: (question, signal) => ask(question, signal),
  });
  const view = await gateway.openView({ server: "weather", tool: "forecast", arguments: { city: "Rome" } });
  const bridge = new Bridge({
    info: { name: "my-chat", version: "1.0.0" },
    instance: view.id,
    upstream: view.upstream,
    guard: view.guard,
  });
  view.onnotice = ({ method, params }) => {
    if (method === "ui/notifications/tool-input") bridge.sendToolInput(params.arguments);
    else if (method === "ui/notifications/tool-result") bridge.sendToolResult(params);
    else bridge.sendToolCancelled(params.reason);
  };
  // `view.opened.place` says where the frame's document is. `showView` does all of this for an `<mcp-app>`.
  //#endregion connectGateway
  return { gateway, bridge };
}

export async function showViewExample(place: HTMLElement) {
  //#region showView
  const gateway = connectGateway({ url: "/api/session", onask: askInPage });
  const show = (view: GatewayView): void => {
    const element = document.createElement("mcp-app");
    showView(element, view, { info: { name: "my-chat", version: "1.0.0" } });
    place.append(element);
  };
  // After a reload: what this tab had.
  for (const view of await gateway.restoreViews()) show(view);
  show(await gateway.openView({ server: "weather", tool: "forecast", arguments: { city: "Rome" } }));
  //#endregion showView
}
