import { useChat } from "@ai-sdk/react";
import { httpUpstream, standardGuard } from "@vitrine/guard";
import { askInFrame, type FrameView } from "@vitrine/host";
import { McpApp } from "@vitrine/host/react";
import { type CallToolResult, DEFAULT_STYLE_VARIABLES, type Tool } from "@vitrine/protocol";
import { DefaultChatTransport, type DynamicToolUIPart, type UIMessage } from "ai";

type Input = Record<string, unknown>;
interface App {
  tool: Tool;
  view: FrameView;
}

const { server, capabilities, apps } = await (await fetch("/apps")).json();
const appOf = new Map<string, App>(apps.map((app: App) => [app.tool.name, app]));
const upstream = httpUpstream({ url: "/rpc", server, capabilities });
const guard = standardGuard(upstream, { ask: askInFrame });
const info = { name: "chat", version: "0.1.0" };
const context = { styles: { variables: DEFAULT_STYLE_VARIABLES } };
const transport = new DefaultChatTransport<UIMessage>({ api: "/chat" });

/** Why a call has no result, if it will never have one. */
function endOf({ state, errorText }: DynamicToolUIPart, isRunning: boolean): string | undefined {
  if (state === "output-error") return errorText;
  if (state === "output-denied") return "Denied";
  // A call that waits for the user's approval may still run.
  return isRunning || /^(output-available|approval-)/.test(state) ? undefined : "Stopped";
}

/** A tool call: the part of the message that `useChat` updates while the model writes it. */
function ToolCall({ part, isRunning }: { part: DynamicToolUIPart; isRunning: boolean }) {
  const app = appOf.get(part.toolName);
  if (!app) return <p>Used {part.toolName}</p>;
  const isWriting = part.state === "input-streaming";
  return (
    <McpApp
      info={info}
      view={app.view}
      upstream={upstream}
      guard={guard}
      context={context}
      title={app.tool.title ?? app.tool.name}
      partialInput={isWriting ? (part.input as Input | undefined) : undefined}
      input={isWriting ? undefined : (part.input as Input)}
      result={part.state === "output-available" ? (part.output as CallToolResult) : undefined}
      cancelled={endOf(part, isRunning)}
    />
  );
}

/** A part stays where it is in its message, so an app is never moved. */
const keyOf = (part: UIMessage["parts"][number], index: number): string =>
  part.type === "dynamic-tool" ? part.toolCallId : `${index}`;

function Part({ part, isRunning }: { part: UIMessage["parts"][number]; isRunning: boolean }) {
  if (part.type === "text") return <p>{part.text}</p>;
  return part.type === "dynamic-tool" ? <ToolCall part={part} isRunning={isRunning} /> : null;
}

export function Chat() {
  const { messages, sendMessage, status, stop } = useChat({ transport });
  const isRunning = status === "submitted" || status === "streaming";
  return (
    <>
      {messages.map(({ id, role, parts }) => (
        <section key={id} aria-label={role}>
          {parts.map((part, index) => (
            <Part key={keyOf(part, index)} part={part} isRunning={isRunning} />
          ))}
        </section>
      ))}
      <form
        action={(data) => {
          sendMessage({ text: `${data.get("text")}` });
        }}
      >
        <input name="text" aria-label="Message" />
        {isRunning ? (
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
