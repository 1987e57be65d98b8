import { Bridge } from "../bridge.js";
import { askInPage } from "../frame/page-prompt.js";
import { showView } from "./app-options.js";
import { connectGateway, type GatewayClient } from "./gateway.js";
import type { GatewayView } from "./view.js";

export async function connectGatewayExample(show: (text: string) => void) {
  //#region connectGateway
  const gateway = connectGateway({
    url: "/api/session",
    onstate: ({ phase }) => show(phase),
    onask: askInPage,
  });
  const { servers } = await gateway.request("gateway/servers", {});
  show(servers.map(({ name, state }) => `${name}: ${state}`).join("\n"));
  //#endregion connectGateway
  return gateway;
}

export async function requestExample(gateway: GatewayClient, show: (text: string) => void) {
  //#region request
  const { tools } = await gateway.request("gateway/catalogue", { server: "weather" });
  // As the model would: only tools that are visible to it.
  const result = await gateway.request("gateway/call", { server: "weather", name: "forecast" });
  const stop = gateway.on("gateway/status", ({ name, problem }) => {
    if (problem) show(`${name}: ${problem.message}`);
  });
  //#endregion request
  return { tools, result, stop };
}

export async function showViewExample(place: HTMLElement) {
  //#region showView
  const gateway = connectGateway({ url: "/api/session", onask: askInPage });
  const show = (view: GatewayView): void => {
    const element = document.createElement("mcp-app");
    showView(element, view, { info: { name: "my-chat", version: "1.0.0" } });
    place.append(element);
  };
  // After a reload: this tab's views.
  for (const view of await gateway.restoreViews()) show(view);
  show(await gateway.openView({ server: "weather", tool: "forecast", arguments: { city: "Rome" } }));
  //#endregion showView
}

export function gatewayViewExample(view: GatewayView) {
  //#region gatewayView
  // `showView` does all of this for an `<mcp-app>`.
  const bridge = new Bridge({
    info: { name: "my-chat", version: "1.0.0" },
    instance: view.id,
    upstream: view.upstream,
    guard: view.guard,
  });
  if (view.opened.input) bridge.sendToolInput(view.opened.input);
  if (view.opened.result) bridge.sendToolResult(view.opened.result);
  view.onnotice = ({ method, params }) => {
    if (method === "ui/notifications/tool-input-partial") bridge.sendToolInputPartial(params.arguments);
    else if (method === "ui/notifications/tool-input") bridge.sendToolInput(params.arguments);
    else if (method === "ui/notifications/tool-result") bridge.sendToolResult(params);
    else bridge.sendToolCancelled(params.reason);
  };
  // `view.opened.place` is the location of the frame's document.
  //#endregion gatewayView
  return bridge;
}
