import { httpUpstream, standardGuard } from "@vitrine/guard";
import { type AppFrameOptions, askInFrame, type FrameView } from "@vitrine/host";
import { type CallToolResult, DEFAULT_STYLE_VARIABLES, type Tool } from "@vitrine/protocol";

/** A tool with a view, as `/apps` lists it. */
export interface App {
  tool: Tool;
  view: FrameView;
}

const { server, capabilities, apps: known } = await (await fetch("/apps")).json();
export const apps: App[] = known;
const upstream = httpUpstream({ url: "/rpc", server, capabilities });
const guard = standardGuard(upstream, { ask: askInFrame });

/** Everything that `<mcp-app>` needs to show the app of one tool call. */
export const optionsFor = ({ tool, view }: App): AppFrameOptions => ({
  info: { name: "chat", version: "0.1.0" },
  upstream,
  guard,
  view,
  title: tool.title ?? tool.name,
  context: { toolInfo: { tool }, styles: { variables: DEFAULT_STYLE_VARIABLES } },
  handlers: { openLink: ({ url }) => void open(url, "_blank", "noopener") },
});

/** Calls a tool for the model. */
export async function callTool({ name }: Tool, input: Record<string, unknown>): Promise<CallToolResult> {
  const answer = await fetch("/call", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name, input }),
  });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}
