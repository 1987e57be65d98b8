import { httpUpstream, standardGuard } from "@vitrine/guard";
import { askInFrame, type McpAppElement, streamToolInput, warm } from "@vitrine/host";
import "@vitrine/host/define"; // Registers <mcp-app>.
import { type CallToolResult, DEFAULT_STYLE_VARIABLES } from "@vitrine/protocol";
import { type App, callTool, textOf } from "./call.js";

const { server, capabilities, apps: known } = await (await fetch("/apps")).json();
export const apps: App[] = known;
const upstream = httpUpstream({ url: "/rpc", server, capabilities });
// Asks the user, in the page, before an app does something with an effect.
const guard = standardGuard(upstream, { ask: askInFrame });
for (const { view } of apps) warm(view);

/** Shows the app of a tool call. `written` is the JSON of the arguments, in pieces, as the model writes it. */
export async function show(app: McpAppElement, { tool, view }: App, written: AsyncIterable<string>) {
  let result: CallToolResult | undefined;
  app.app = {
    info: { name: "chat", version: "0.1.0" },
    upstream,
    guard,
    view,
    title: tool.title ?? tool.name,
    context: { toolInfo: { tool }, styles: { variables: DEFAULT_STYLE_VARIABLES } },
    handlers: { openLink: ({ url }) => void open(url, "_blank", "noopener") },
    fallback: () => textOf(result),
  };
  const { bridge } = app;
  if (!bridge) throw new Error("The app has no bridge: it was closed");
  const input = await streamToolInput(bridge, written);
  try {
    result = await callTool(tool.name, input);
    bridge.sendToolResult(result);
  } catch (error) {
    bridge.sendToolCancelled(`${error}`);
  }
}
