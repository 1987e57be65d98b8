import { fetchServerSentEvents, type UIMessage, useChat } from "@tanstack/ai-react";
import { httpUpstream, standardGuard } from "@vitrine/guard";
import { askInFrame, type FrameView } from "@vitrine/host";
import { McpApp } from "@vitrine/host/react";
import { type CallToolResult, DEFAULT_STYLE_VARIABLES, PartialJson, type Tool } from "@vitrine/protocol";
import { useMemo, useState } from "react";

interface App {
  tool: Tool;
  view: FrameView;
}
type Part = UIMessage["parts"][number];
type ToolCallPart = Extract<Part, { type: "tool-call" }>;

const { server, capabilities, apps } = await (await fetch("/apps")).json();
const appOf = new Map<string, App>(apps.map((app: App) => [app.tool.name, app]));
const upstream = httpUpstream({ url: "/rpc", server, capabilities });
const guard = standardGuard(upstream, { ask: askInFrame });
const info = { name: "chat", version: "0.1.0" };
const context = { styles: { variables: DEFAULT_STYLE_VARIABLES } };
const connection = fetchServerSentEvents("/chat");

/** The arguments so far. */
function readPartial(text: string): Record<string, unknown> | undefined {
  const json = new PartialJson();
  json.push(text);
  return json.value();
}

interface ToolCallProps {
  part: ToolCallPart;
  result: CallToolResult | undefined;
  isRunning: boolean;
}

/** A tool call: the part of the message that `useChat` updates while the model writes it. */
function ToolCall({ part, result, isRunning }: ToolCallProps) {
  const soFar = useMemo(() => readPartial(part.arguments), [part.arguments]);
  const app = appOf.get(part.name);
  if (!app) return <p>Used {part.name}</p>;
  const isWriting = part.state === "awaiting-input" || part.state === "input-streaming";
  const isOver = part.state === "error" || part.output !== undefined || !isRunning;
  return (
    <McpApp
      info={info}
      view={app.view}
      upstream={upstream}
      guard={guard}
      context={context}
      title={app.tool.title ?? app.tool.name}
      partialInput={isWriting ? soFar : undefined}
      input={isWriting ? undefined : (part.input ?? soFar)}
      result={result}
      cancelled={!result && isOver ? (part.output?.error ?? "Stopped") : undefined}
    />
  );
}

/** A part stays where it is in its message. */
const keyOf = (index: number): string => `${index}`;

export function Chat() {
  const [results, setResults] = useState<Record<string, CallToolResult>>({});
  const { messages, sendMessage, isLoading, stop, error } = useChat({
    connection,
    onCustomEvent: (type, data, { toolCallId }) => {
      if (type !== "mcp-result" || !toolCallId) return;
      const { result } = data as { result: CallToolResult };
      setResults((all) => ({ ...all, [toolCallId]: result }));
    },
  });
  return (
    <>
      {messages.map(({ id, role, parts }) => (
        <section key={id} aria-label={role}>
          {parts.map((part, index) =>
            part.type === "tool-call" ? (
              <ToolCall key={part.id} part={part} result={results[part.id]} isRunning={isLoading} />
            ) : (
              part.type === "text" && <p key={keyOf(index)}>{part.content}</p>
            ),
          )}
        </section>
      ))}
      {error && <p>The answer could not be completed</p>}
      <form
        action={(data) => {
          sendMessage(`${data.get("text")}`);
        }}
      >
        <input name="text" aria-label="Message" />
        {isLoading ? (
          <button type="button" onClick={stop}>
            Stop
          </button>
        ) : (
          <button type="submit">Send</button>
        )}
      </form>
    </>
  );
}
