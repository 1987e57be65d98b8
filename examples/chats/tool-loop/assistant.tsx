import {
  AssistantRuntimeProvider,
  type ChatModelAdapter,
  ComposerPrimitive,
  ErrorPrimitive,
  MessagePrimitive,
  type TextMessagePart,
  ThreadPrimitive,
  type ToolCallMessagePart,
  type ToolCallMessagePartProps,
  useLocalRuntime,
} from "@assistant-ui/react";
import { httpUpstream, standardGuard } from "@vitrine/guard";
import { askInFrame, type FrameView } from "@vitrine/host";
import { McpApp } from "@vitrine/host/react";
import { type CallToolResult, DEFAULT_STYLE_VARIABLES, PartialJson, type Tool } from "@vitrine/protocol";
import { useMemo } from "react";
import { ask } from "./ask.js";
import type { Line } from "./loop.js";

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

/** The arguments of a call: they are complete when their text is JSON. */
function readArguments(text: string): { input?: Record<string, unknown>; soFar?: Record<string, unknown> } {
  try {
    return { input: JSON.parse(text) };
  } catch {
    const json = new PartialJson();
    json.push(text);
    return { soFar: json.value() };
  }
}

/** A tool call in a message. */
function ToolCall({ toolName, argsText, result, isError, status }: ToolCallMessagePartProps) {
  const { input, soFar } = useMemo(() => readArguments(argsText), [argsText]);
  const app = appOf.get(toolName);
  if (!app) return <p>Used {toolName}</p>;
  const isStopped = result === undefined && status.type === "incomplete";
  return (
    <McpApp
      info={info}
      view={app.view}
      upstream={upstream}
      guard={guard}
      context={context}
      title={app.tool.title ?? toolName}
      partialInput={soFar}
      input={input}
      result={isError ? undefined : (result as CallToolResult | undefined)}
      cancelled={isError ? `${result}` : isStopped ? "Stopped" : undefined}
    />
  );
}

type Part = TextMessagePart | ToolCallMessagePart;

/** The parts of a message after another line. */
function addLine(parts: Part[], line: Line): Part[] {
  if (line.type === "error") throw new Error(line.reason);
  const last = parts.at(-1);
  if (line.type === "text" && last?.type === "text")
    return [...parts.slice(0, -1), { ...last, text: last.text + line.text }];
  if (line.type === "text") return [...parts, { type: "text", text: line.text }];
  if (line.type === "call") {
    const { id: toolCallId, name: toolName } = line;
    return [...parts, { type: "tool-call", toolCallId, toolName, args: {}, argsText: "" }];
  }
  return parts.map((part) => {
    if (part.type === "text" || part.toolCallId !== line.id) return part;
    if (line.type === "arguments") return { ...part, argsText: part.argsText + line.text };
    if (line.type === "input") return { ...part, argsText: JSON.stringify(line.input) };
    return line.type === "result"
      ? { ...part, result: line.result }
      : { ...part, result: line.reason, isError: true };
  });
}

/** The tool loop as a model of assistant-ui. */
const model: ChatModelAdapter = {
  async *run({ messages, abortSignal }) {
    const question = messages.at(-1)?.content ?? [];
    const text = question.map((part) => (part.type === "text" ? part.text : "")).join("");
    let content: Part[] = [];
    for await (const line of ask(text, abortSignal)) {
      content = addLine(content, line);
      yield { content };
    }
  },
};

const Message = () => (
  <MessagePrimitive.Root>
    <MessagePrimitive.Parts components={{ tools: { Fallback: ToolCall } }} />
    <MessagePrimitive.Error>
      <ErrorPrimitive.Message />
    </MessagePrimitive.Error>
  </MessagePrimitive.Root>
);

export const Chat = () => (
  <AssistantRuntimeProvider runtime={useLocalRuntime(model)}>
    <ThreadPrimitive.Root>
      <ThreadPrimitive.Messages>{() => <Message />}</ThreadPrimitive.Messages>
      <ComposerPrimitive.Root>
        <ComposerPrimitive.Input aria-label="Message" />
        <ComposerPrimitive.Send>Send</ComposerPrimitive.Send>
        <ComposerPrimitive.Cancel>Stop</ComposerPrimitive.Cancel>
      </ComposerPrimitive.Root>
    </ThreadPrimitive.Root>
  </AssistantRuntimeProvider>
);
