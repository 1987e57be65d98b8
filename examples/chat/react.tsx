/** The same page in React. */
import { askInFrame, type FrameView, httpUpstream, McpApp, standardGuard } from "@vitrine/host/react";
import { type CallToolResult, DEFAULT_STYLE_VARIABLES, type Tool } from "@vitrine/protocol";
import { useEffect, useState } from "react";

interface App {
  tool: Tool;
  view: FrameView;
}

//#region react
const { server, capabilities, apps } = await (await fetch("/apps")).json();
const upstream = httpUpstream({ url: "/rpc", server, capabilities });
const guard = standardGuard(upstream, { ask: askInFrame });
const info = { name: "chat", version: "0.1.0" };
const context = { styles: { variables: DEFAULT_STYLE_VARIABLES } };

/** A tool call of the model, with its app. */
function ToolCall({ tool, view, input }: App & { input: Record<string, unknown> }) {
  const [result, setResult] = useState<CallToolResult>();
  useEffect(() => {
    const call = upstream.request("tools/call", { name: tool.name, arguments: input });
    call.then((answer) => setResult(answer as CallToolResult));
  }, [tool, input]);
  return (
    <McpApp
      {...{ info, view, upstream, guard, context, input, result }}
      title={tool.title ?? tool.name}
      handlers={{ openLink: ({ url }) => void open(url, "_blank", "noopener") }}
      fallback={() => JSON.stringify(result?.content)}
    />
  );
}

const lisbon = { city: "Lisbon" };
export const Conversation = () =>
  apps.map((app: App) => <ToolCall key={app.tool.name} {...app} input={lisbon} />);
//#endregion react
