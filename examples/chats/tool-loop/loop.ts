import type { ToolDirectory, Upstream } from "@vitrine/guard";
import { type CallToolResult, JsonText, type Tool } from "@vitrine/protocol";

/** A line of an answer, as the page receives it. */
export type Line =
  | { type: "text"; text: string }
  /** The model begins to write a tool call. */
  | { type: "call"; id: string; name: string }
  /** The next piece of the call's arguments, which are JSON. */
  | { type: "arguments"; id: string; text: string }
  /** The complete arguments: the tool runs. */
  | { type: "input"; id: string; input: Record<string, unknown> }
  | { type: "result"; id: string; result: CallToolResult }
  | { type: "failed"; id: string; reason: string }
  /** The answer ends here. */
  | { type: "error"; reason: string };

/** The end of a call, as the model reads it. */
export interface Outcome {
  id: string;
  text: string;
  isError: boolean;
}

/** The messages of a conversation, in the form of a model's API. */
export interface Conversation {
  /** Adds a message of the user. */
  ask(text: string): void;
  /** Streams the model's next message, and adds it. */
  next(tools: Tool[], signal: AbortSignal): AsyncIterable<Line>;
  /** Adds the outcome of every call of that message. */
  answer(outcomes: Outcome[]): void;
}

export interface LoopOptions {
  conversation: Conversation;
  upstream: Upstream;
  directory: ToolDirectory;
  send(line: Line): void;
  signal: AbortSignal;
}

const MAX_MESSAGES = 10;
/** Names that the APIs of OpenAI and Anthropic accept. One other name would make them refuse every request. */
const NAME = /^[\w-]{1,64}$/;

/** Lets the model write and call tools until it calls none. */
export async function runLoop({ conversation, upstream, directory, send, signal }: LoopOptions) {
  // Tools for apps alone are not among them.
  const tools = (await directory.forModel()).filter(({ name }) => NAME.test(name));
  for (let count = 0; count < MAX_MESSAGES; count++) {
    const calls = new Map<string, { name: string; written: string }>();
    for await (const line of conversation.next(tools, signal)) {
      if (line.type === "call") calls.set(line.id, { name: line.name, written: "" });
      const call = line.type === "arguments" && calls.get(line.id);
      if (call) call.written += line.text;
      send(line);
    }
    if (calls.size === 0) return;

    /** Runs a call. It never fails: a model's API refuses a conversation with an unanswered call. */
    const run = async ([id, { name, written }]: [string, { name: string; written: string }]) => {
      try {
        if (!tools.some((tool) => tool.name === name)) throw new Error(`There is no tool ${name}`);
        const input = JSON.parse(written || "{}");
        send({ type: "input", id, input });
        const answer = await upstream.request("tools/call", { name, arguments: input }, { signal });
        const result = answer instanceof JsonText ? (answer.parse() as CallToolResult) : answer;
        send({ type: "result", id, result });
        return { id, text: textOf(result), isError: result.isError === true };
      } catch (error) {
        const reason = signal.aborted ? "Stopped" : error instanceof Error ? error.message : `${error}`;
        send({ type: "failed", id, reason });
        return { id, text: reason, isError: true };
      }
    };
    conversation.answer(await Promise.all([...calls].map(run)));
    signal.throwIfAborted();
  }
  throw new Error(`The model called tools in ${MAX_MESSAGES} messages, and did not finish`);
}

/** The part of a result that the model gets: the rest is for the app. */
const textOf = ({ content }: CallToolResult): string =>
  content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
