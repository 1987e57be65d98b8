import type { GatewayAnswer, GatewayQuestion } from "@vitrine/protocol";
import { Bridge } from "../bridge.js";
import { connectGateway } from "./gateway.js";

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
    upstream: view.upstream,
    guard: view.guard,
  });
  view.onnotice = ({ method, params }) => {
    if (method === "ui/notifications/tool-input") bridge.sendToolInput(params.arguments);
    else if (method === "ui/notifications/tool-result") bridge.sendToolResult(params);
    else bridge.sendToolCancelled(params.reason);
  };
  // `view.opened.place` says where the frame's document is.
  //#endregion connectGateway
  return { gateway, bridge };
}
