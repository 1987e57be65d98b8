import { httpUpstream, standardGuard } from "@vitrine/guard";
import { askInFrame } from "@vitrine/host";
import { McpApp } from "@vitrine/host/react";
import { type CallToolResult, DEFAULT_STYLE_VARIABLES } from "@vitrine/protocol";
import { useState } from "react";
import { type App, callTool, textOf } from "./call.js";

const { server, capabilities, apps } = await (await fetch("/apps")).json();
const upstream = httpUpstream({ url: "/rpc", server, capabilities });
const guard = standardGuard(upstream, { ask: askInFrame });
const info = { name: "chat", version: "0.1.0" };
const context = { styles: { variables: DEFAULT_STYLE_VARIABLES } };
const handlers = { openLink: ({ url }: { url: string }) => void open(url, "_blank", "noopener") };

/** A tool call of the model: a part of the conversation, like its messages. */
interface ToolCall {
  id: string;
  app: App;
  input: Record<string, unknown>;
  result?: CallToolResult;
  cancelled?: string;
}

/** A tool call with its app. It draws what the conversation says, and calls nothing. */
export const ToolCallView = ({ app: { tool, view }, input, result, cancelled }: ToolCall) => (
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

export function Conversation({ input = {} }: { input?: Record<string, unknown> }) {
  const [calls, setCalls] = useState<ToolCall[]>([]);
  /** Calls a tool once, when the model asks for it; not in an effect, which may run again. */
  const call = async (app: App) => {
    const id = crypto.randomUUID();
    const update = (change: Partial<ToolCall>) =>
      setCalls((all) => all.map((each) => (each.id === id ? { ...each, ...change } : each)));
    setCalls((all) => [...all, { id, app, input }]);
    try {
      update({ result: await callTool(app.tool.name, input) });
    } catch (error) {
      update({ cancelled: `${error}` });
    }
  };
  return (
    <>
      {calls.map((each) => (
        <ToolCallView key={each.id} {...each} />
      ))}
      {/* Stands in for your model. */}
      {apps.map((app: App) => (
        <button key={app.tool.name} type="button" onClick={() => call(app)}>
          Use {app.tool.title ?? app.tool.name}
        </button>
      ))}
    </>
  );
}
