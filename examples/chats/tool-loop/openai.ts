import OpenAI from "openai";
import type { Conversation } from "./loop.js";

const model = process.env.MODEL ?? "gpt-5.4-mini";

/** Starts a conversation with OpenAI, or with any server that has its API. */
export function startConversation(client: OpenAI = new OpenAI()): Conversation {
  const messages: OpenAI.ChatCompletionMessageParam[] = [];
  return {
    ask: (text) => void messages.push({ role: "user", content: text }),
    async *next(tools, signal) {
      const stream = await client.chat.completions.create(
        {
          model,
          messages,
          stream: true,
          // An empty list is refused.
          ...(tools.length > 0 && {
            tools: tools.map(({ name, description, inputSchema: parameters }) => ({
              type: "function" as const,
              function: { name, description, parameters },
            })),
          }),
        },
        { signal },
      );
      let content = "";
      const calls: OpenAI.ChatCompletionMessageFunctionToolCall[] = [];
      for await (const { choices } of stream) {
        const delta = choices[0]?.delta;
        if (delta?.content) {
          content += delta.content;
          yield { type: "text", text: delta.content };
        }
        for (const { index, id = "", function: part } of delta?.tool_calls ?? []) {
          let call = calls[index];
          if (!call) {
            call = { id, type: "function", function: { name: part?.name ?? "", arguments: "" } };
            calls[index] = call;
            yield { type: "call", id, name: call.function.name };
          }
          if (!part?.arguments) continue;
          call.function.arguments += part.arguments;
          yield { type: "arguments", id: call.id, text: part.arguments };
        }
      }
      messages.push({ role: "assistant", content, ...(calls.length > 0 && { tool_calls: calls }) });
    },
    answer(outcomes) {
      for (const { id, text } of outcomes) messages.push({ role: "tool", tool_call_id: id, content: text });
    },
  };
}
