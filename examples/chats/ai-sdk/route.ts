import { ToolDirectory, type Upstream } from "@vitrine/guard";
import { type CallToolResult, JsonText } from "@vitrine/protocol";
import {
  convertToModelMessages,
  dynamicTool,
  jsonSchema,
  type LanguageModel,
  stepCountIs,
  streamText,
  type ToolSet,
} from "ai";

/** POST /chat: answers of the model, for `useChat`. The model calls the tools of an MCP server. */
export function chatRoute(model: LanguageModel, upstream: Upstream): (request: Request) => Promise<Response> {
  const directory = new ToolDirectory(upstream);

  /** The tools that the model may call; others are for apps only. */
  const toolsOf = async (): Promise<ToolSet> =>
    Object.fromEntries(
      (await directory.forModel()).map(({ name, description = "", inputSchema, annotations }) => [
        name,
        dynamicTool({
          description,
          inputSchema: jsonSchema(inputSchema),
          // The page asks the user first, except about tools that only read.
          needsApproval: annotations?.readOnlyHint !== true,
          // The page gets the whole result: parts of it are for the app.
          execute: async (input, { abortSignal: signal }) => {
            const params = { name, arguments: input as Record<string, unknown> };
            const result = await upstream.request("tools/call", params, { signal });
            return result instanceof JsonText ? result.parse() : result;
          },
          // The model gets its content.
          toModelOutput: ({ output }) => ({ type: "text", value: textOf(output as CallToolResult) }),
        }),
      ]),
    );

  return async (request) => {
    const { messages } = await request.json();
    const tools = await toolsOf();
    const result = streamText({
      model,
      tools,
      messages: await convertToModelMessages(messages, { tools, ignoreIncompleteToolCalls: true }),
      stopWhen: stepCountIs(10),
      abortSignal: request.signal,
    });
    return result.toUIMessageStreamResponse();
  };
}

const textOf = ({ content }: CallToolResult): string =>
  content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
