import {
  type AnyTextAdapter,
  chat,
  maxIterations,
  type StreamChunk,
  type Tool,
  toServerSentEventsResponse,
} from "@tanstack/ai";
import { ToolDirectory, type Upstream } from "@vitrine/guard";
import { type CallToolResult, JsonText } from "@vitrine/protocol";

/** POST /chat: answers of the model, for `useChat`. The model calls the tools of an MCP server. */
export function chatRoute(
  adapter: AnyTextAdapter,
  upstream: Upstream,
): (request: Request) => Promise<Response> {
  const directory = new ToolDirectory(upstream);

  /** The tools that the model may call; others are for apps only. */
  const toolsOf = async (): Promise<Tool[]> =>
    (await directory.forModel()).map(({ name, description = "", inputSchema }) => ({
      name,
      description,
      inputSchema,
      execute: async (input, context) => {
        const params = { name, arguments: input as Record<string, unknown> };
        const answer = await upstream.request("tools/call", params, { signal: context?.abortSignal });
        const result = answer instanceof JsonText ? (answer.parse() as CallToolResult) : answer;
        // The page gets the whole result: parts of it are for the app. The model gets its content.
        context?.emitCustomEvent("mcp-result", { result });
        return textOf(result);
      },
    }));

  return async (request) => {
    const { messages } = await request.json();
    const abortController = new AbortController();
    request.signal.addEventListener("abort", () => abortController.abort());
    const tools = await toolsOf();
    const stream = chat({ adapter, messages, tools, abortController, agentLoopStrategy: maxIterations(10) });
    return toServerSentEventsResponse(withoutDetails(stream), { abortController });
  };
}

/** An error of the model's API may name your key: not for the page. */
async function* withoutDetails(stream: AsyncIterable<StreamChunk>): AsyncGenerator<StreamChunk> {
  for await (const chunk of stream) {
    if (chunk.type !== "RUN_ERROR") yield chunk;
    else {
      console.error(chunk);
      yield { type: chunk.type, timestamp: chunk.timestamp, message: "The answer could not be completed" };
    }
  }
}

const textOf = ({ content }: CallToolResult): string =>
  content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
