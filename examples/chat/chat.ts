/** How a page shows apps: what a builder of a chat writes. */
import {
  askInFrame,
  type FrameView,
  httpUpstream,
  standardGuard,
  streamToolInput,
  warm,
} from "@vitrine/host";
import "@vitrine/host/define";
import { type CallToolResult, DEFAULT_STYLE_VARIABLES, type Tool } from "@vitrine/protocol";

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
for (const { view } of apps) warm(view);

/** For a tool call of the model: puts its app into the conversation. */
export function show({ tool, view }: App, place: Element) {
  let result: CallToolResult | undefined;
  const app = document.createElement("mcp-app");
  app.app = {
    info: { name: "chat", version: "0.1.0" },
    view,
    upstream,
    guard,
    title: tool.title ?? tool.name,
    context: { toolInfo: { tool }, styles: { variables: DEFAULT_STYLE_VARIABLES } },
    handlers: { openLink: ({ url }) => void window.open(url, "_blank", "noopener") },
    fallback: () => (result?.content ?? []).map((block) => ("text" in block ? block.text : "")).join("\n"),
  };
  place.append(app);
  const { bridge } = app;
  // The app follows what the model writes, and hears what came of it.
  if (bridge)
    streamToolInput(bridge, modelWrites('{"city":"Lisbon"}'))
      .then(async (input) => {
        result = (await upstream.request("tools/call", {
          name: tool.name,
          arguments: input,
        })) as CallToolResult;
        bridge.sendToolResult(result);
      })
      .catch((error: Error) => bridge.phase !== "closed" && bridge.sendToolCancelled(error.message));
  return app;
}
//#endregion page

/** Stands for a model that writes the arguments of its tool call letter by letter. */
async function* modelWrites(text: string): AsyncGenerator<string> {
  for (const letter of text) {
    await new Promise((resolve) => setTimeout(resolve, 30));
    yield letter;
  }
}
