/** The examples of the doc comments around the bridge; compiled with the tests. */
import { Client, type Transport as ClientTransport } from "@modelcontextprotocol/client";
import type { CallToolResult, DisplayMode, Implementation, Tool, Transport } from "@vitrine/protocol";
import { AppTools } from "./app-tools.js";
import { Bridge } from "./bridge.js";
import { clientUpstream } from "./client-upstream.js";
import { looksEarly } from "./dialect.js";
import { standardGuard } from "./guard/standard.js";
import type { HostHandlers } from "./handlers.js";
import { followInput, PartialJson, streamToolInput } from "./partial-input.js";
import { hostService } from "./service.js";
import type { Upstream } from "./upstream.js";

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
  // Whenever it is:
  bridge.updateContext({ theme: "light" });
  // Before the frame goes:
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

export function partialJson(): (Record<string, unknown> | undefined)[] {
  //#region partialJson
  const json = new PartialJson();
  json.push('{"city":"Ro');
  const some = json.value(); // { city: "Ro" }
  json.push('me","days":1');
  const more = json.value(); // { city: "Rome" }: the number may become 10
  json.push("0}");
  const all = json.value(); // { city: "Rome", days: 10 }
  //#endregion partialJson
  return [some, more, all];
}

export async function follow(
  chunks: AsyncIterable<string>,
  show: (input: object) => void,
): Promise<Record<string, unknown>> {
  //#region followInput
  const input = await followInput(chunks, (soFar) => show(soFar), 100);
  //#endregion followInput
  return input;
}

export async function fromClient(transport: ClientTransport): Promise<Upstream> {
  //#region clientUpstream
  const client = new Client({ name: "my-chat", version: "1.0.0" });
  await client.connect(transport);
  const upstream = clientUpstream(client, { server: "weather" });
  //#endregion clientUpstream
  return upstream;
}

export function handlers(chat: {
  add(content: unknown, from: string): void;
  context: unknown;
  setMode(mode: DisplayMode): DisplayMode;
}): HostHandlers {
  //#region hostHandlers
  const handlers: HostHandlers = {
    message: ({ content }, { server }) => chat.add(content, server),
    updateModelContext: (context) => {
      chat.context = context;
    },
    requestDisplayMode: ({ mode }) => ({ mode: chat.setMode(mode) }),
  };
  //#endregion hostHandlers
  return handlers;
}

export async function service(upstream: Upstream, handlers: HostHandlers): Promise<object> {
  //#region hostService
  const { capabilities, requests } = hostService({
    upstream,
    guard: standardGuard(upstream),
    handlers,
    view: "view-1",
  });
  // `capabilities` goes into the answer to `ui/initialize`; then, for a request whose params were checked:
  const context = { requestId: 1, signal: AbortSignal.timeout(60_000), progress: undefined };
  const result = await requests["tools/call"]({ name: "forecast" }, context);
  //#endregion hostService
  return { capabilities, result };
}

export async function appTools(
  bridge: Bridge,
  serverTools: Tool[],
  ask: (question: string) => Promise<boolean>,
): Promise<unknown> {
  //#region appTools
  const tools = new AppTools(bridge, {
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
