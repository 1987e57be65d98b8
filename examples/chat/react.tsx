import { httpUpstream, standardGuard } from "@vitrine/guard";
import { askInFrame } from "@vitrine/host";
import { McpApp } from "@vitrine/host/react";
import { type CallToolResult, DEFAULT_STYLE_VARIABLES } from "@vitrine/protocol";
import { useEffect, useState } from "react";
import { type App, callTool, textOf } from "./call.js";

const { server, capabilities, apps } = await (await fetch("/apps")).json();
const upstream = httpUpstream({ url: "/rpc", server, capabilities });
const guard = standardGuard(upstream, { ask: askInFrame });
const info = { name: "chat", version: "0.1.0" };
const context = { styles: { variables: DEFAULT_STYLE_VARIABLES } };
const handlers = { openLink: ({ url }: { url: string }) => void open(url, "_blank", "noopener") };

/** A tool call of the model, with its app. */
export function ToolCall({ tool, view, input }: App & { input: Record<string, unknown> }) {
  const [result, setResult] = useState<CallToolResult>();
  const [cancelled, setCancelled] = useState<string>();
  useEffect(() => {
    callTool(tool.name, input).then(setResult, ({ message }) => setCancelled(message));
  }, [tool, input]);
  return (
    <McpApp
      info={info}
      view={view}
      upstream={upstream}
      guard={guard}
      context={context}
      handlers={handlers}
      input={input}
      result={result}
      cancelled={cancelled}
      title={tool.title ?? tool.name}
      fallback={() => textOf(result)}
    />
  );
}

export const Conversation = ({ input }: { input: Record<string, unknown> }) =>
  apps.map((app: App) => <ToolCall key={app.tool.name} {...app} input={input} />);
