/** Examples for the doc comments about the bridge; compiled with the tests. */
import { standardGuard, type Upstream } from "@vitrine/guard";
import type { CallToolResult, Implementation, Tool, Transport } from "@vitrine/protocol";
import { ViewTools } from "./app-tools.js";
import { Bridge } from "./bridge.js";
import { looksEarly } from "./dialect.js";
import { streamToolInput } from "./stream-input.js";

export async function bridge(
  transport: Transport,
  upstream: Upstream,
  info: Implementation,
  show: (text: string) => void,
): Promise<void> {
  //#region bridge
  const bridge = new Bridge({
    info,
    upstream,
    guard: standardGuard(upstream),
    context: { theme: "dark", displayMode: "inline", availableDisplayModes: ["inline", "fullscreen"] },
    handlers: { openLink: ({ url }) => show(`open ${url}?`) },
  });
  bridge.on("failed", ({ message }) => show(message));
  bridge.open(transport);
  const input = { city: "Rome" };
  bridge.sendToolInput(input);
  const result = await upstream.request("tools/call", { name: "forecast", arguments: input });
  bridge.sendToolResult(result);
  // At any time:
  bridge.updateContext({ theme: "light" });
  // Before the frame is removed:
  await bridge.teardown("the conversation was closed");
  //#endregion bridge
}

export function attempt(bridge: Bridge, result: CallToolResult, show: (text: string) => void): void {
  //#region attempt
  const error = bridge.attempt((to) => to.sendToolResult(result));
  if (error?.code === "closed") show("The app was closed before the tool answered.");
  //#endregion attempt
}

export async function streamToolInputExample(
  bridge: Bridge,
  model: AsyncIterable<{ argumentsDelta: string }>,
  call: (input: Record<string, unknown>) => Promise<CallToolResult>,
): Promise<void> {
  //#region streamToolInput
  async function* deltas() {
    for await (const { argumentsDelta } of model) yield argumentsDelta;
  }
  const input = await streamToolInput(bridge, deltas());
  bridge.sendToolResult(await call(input));
  //#endregion streamToolInput
}

export async function appTools(
  bridge: Bridge,
  serverTools: Tool[],
  ask: (question: string) => Promise<boolean>,
): Promise<unknown> {
  //#region appTools
  const tools = new ViewTools(bridge, {
    prefix: "chart",
    taken: (name) => serverTools.some((tool) => tool.name === name),
    confirm: ({ name, arguments: args }) => ask(`Run ${name} with ${JSON.stringify(args)}?`),
  });
  const offered = await tools.list(); // "zoom" of the view is "chart__zoom"
  const result = await tools.call("chart__zoom", { factor: 2 });
  //#endregion appTools
  return { offered, result };
}

export function early(): boolean[] {
  //#region looksEarly
  const early = looksEarly({ clientInfo: { name: "My App", version: "1.0.0" }, capabilities: {} }); // true
  const today = looksEarly({ appInfo: { name: "a", version: "1" }, appCapabilities: {} }); // false
  //#endregion looksEarly
  return [early, today];
}
