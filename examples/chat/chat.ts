/** How a page shows apps: what a builder of a chat writes. */
import {
  askInFrame,
  type Bridge,
  type FrameView,
  httpUpstream,
  type McpAppElement,
  standardGuard,
  streamToolInput,
  warm,
} from "@vitrine/host";
import "@vitrine/host/define";
import { type CallToolResult, DEFAULT_STYLE_VARIABLES, type Tool } from "@vitrine/protocol";
import { callTool, textOf } from "./call.ts";

interface App {
  tool: Tool;
  view: FrameView;
}

//#region page
// At connection: what the back end knows, and a guard that asks the person in the page.
const { server, capabilities, apps: known } = await (await fetch("/apps")).json();
export const apps: App[] = known;
const upstream = httpUpstream({ url: "/rpc", server, capabilities });
const guard = standardGuard(upstream, { ask: askInFrame });
const common = { info: { name: "chat", version: "0.1.0" }, upstream, guard };
for (const { view } of apps) warm(view);

/** Puts the app of a tool call into the conversation, while the model still writes its arguments. */
export async function show(app: McpAppElement, { tool, view }: App, written: AsyncIterable<string>) {
  let result: CallToolResult | undefined;
  app.app = {
    ...common,
    view,
    title: tool.title ?? tool.name,
    context: { toolInfo: { tool }, styles: { variables: DEFAULT_STYLE_VARIABLES } },
    handlers: { openLink: ({ url }) => void open(url, "_blank", "noopener") },
    fallback: () => textOf(result),
  };
  const bridge = app.bridge as Bridge;
  const input = await streamToolInput(bridge, written);
  try {
    result = await callTool(tool.name, input);
    bridge.sendToolResult(result);
  } catch (error) {
    bridge.sendToolCancelled(`${error}`);
  }
}
//#endregion page

/** Stands for a model that writes the arguments of its tool call letter by letter. */
export async function* modelWrites(text: string): AsyncGenerator<string> {
  for (const letter of text) {
    await new Promise((resolve) => setTimeout(resolve, 30));
    yield letter;
  }
}
