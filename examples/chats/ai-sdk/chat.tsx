import { useChat } from "@ai-sdk/react";
import { httpUpstream, standardGuard } from "@vitrine/guard";
import { type ApprovalGuard, askInFrame, type FrameView, guardApproval, oneLine } from "@vitrine/host";
import { McpApp } from "@vitrine/host/react";
import { type CallToolResult, DEFAULT_STYLE_VARIABLES, type Tool } from "@vitrine/protocol";
import {
  DefaultChatTransport,
  type DynamicToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage,
} from "ai";
import { useEffect, useRef, useState } from "react";

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

interface PartProps<Part = UIMessage["parts"][number]> {
  part: Part;
  isRunning: boolean;
  /** Sends the user's answer to a question. */
  onAnswer(answer: { id: string; approved: boolean }): void;
}

/** Asks the user about a call. An app that moves cannot bring *Allow* under a click that was meant for the app. */
function Approval({ question, onAnswer }: { question: string; onAnswer(approved: boolean): void }) {
  const box = useRef<HTMLDivElement>(null);
  const guard = useRef<ApprovalGuard>(undefined);
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    if (!box.current) return undefined;
    const made = guardApproval(box.current, () => setReady(made.isReady()));
    guard.current = made;
    return () => made.stop();
  }, []);
  return (
    <div ref={box}>
      <p>{question}</p>
      <button type="button" onClick={() => onAnswer(false)}>
        Deny
      </button>
      <button
        type="button"
        aria-disabled={!isReady}
        onClick={({ nativeEvent }) => guard.current?.accepts(nativeEvent) && onAnswer(true)}
      >
        Allow
      </button>
    </div>
  );
}

/** A tool call: the part of the message that `useChat` updates while the model writes it. */
function ToolCall({ part, isRunning, onAnswer }: PartProps<DynamicToolUIPart>) {
  const app = appOf.get(part.toolName);
  const isWriting = part.state === "input-streaming";
  return (
    <>
      {app ? (
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
      ) : (
        <p>Used {part.toolName}</p>
      )}
      {part.state === "approval-requested" && (
        <Approval
          question={oneLine(`${server}: run ${part.toolName} with ${JSON.stringify(part.input)}?`)}
          onAnswer={(approved) => onAnswer({ id: part.approval.id, approved })}
        />
      )}
    </>
  );
}

/** A part stays where it is in its message, so an app is never moved. */
const keyOf = (part: UIMessage["parts"][number], index: number): string =>
  part.type === "dynamic-tool" ? part.toolCallId : `${index}`;

function Part({ part, ...props }: PartProps) {
  if (part.type === "text") return <p>{part.text}</p>;
  return part.type === "dynamic-tool" ? <ToolCall part={part} {...props} /> : null;
}

export function Chat() {
  const { messages, sendMessage, addToolApprovalResponse, status, stop } = useChat({
    transport,
    // Continues when the user has answered all questions.
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  const isRunning = status === "submitted" || status === "streaming";
  return (
    <>
      {messages.map(({ id, role, parts }) => (
        <section key={id} aria-label={role}>
          {parts.map((part, index) => (
            <Part
              key={keyOf(part, index)}
              part={part}
              isRunning={isRunning}
              onAnswer={addToolApprovalResponse}
            />
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
