import Anthropic from "@anthropic-ai/sdk";
import type { Conversation } from "./loop.js";

const model = process.env.MODEL ?? "claude-sonnet-4-6";

/** Starts a conversation with Anthropic. */
export function startConversation(client: Anthropic = new Anthropic()): Conversation {
  const messages: Anthropic.MessageParam[] = [];
  return {
    ask: (text) => void messages.push({ role: "user", content: text }),
    async *next(tools, signal) {
      const stream = client.messages.stream(
        {
          model,
          max_tokens: 8192,
          messages,
          tools: tools.map(({ name, description, inputSchema }) => ({
            name,
            description,
            input_schema: inputSchema,
          })),
        },
        { signal },
      );
      let id = ""; // Of the call that is written now: a message has one block after another.
      for await (const event of stream) {
        if (event.type === "content_block_start" && event.content_block.type === "tool_use") {
          id = event.content_block.id;
          yield { type: "call", id, name: event.content_block.name };
        } else if (event.type === "content_block_delta" && event.delta.type === "text_delta")
          yield { type: "text", text: event.delta.text };
        else if (event.type === "content_block_delta" && event.delta.type === "input_json_delta")
          yield { type: "arguments", id, text: event.delta.partial_json };
      }
      const { content } = await stream.finalMessage();
      if (content.length > 0) messages.push({ role: "assistant", content });
    },
    answer: (outcomes) =>
      void messages.push({
        role: "user",
        content: outcomes.map(({ id, text, isError }) => ({
          type: "tool_result",
          tool_use_id: id,
          content: text,
          is_error: isError,
        })),
      }),
  };
}
