/**
 * Converts a request into the format of the SDK.
 *
 * @module
 */

import type { ModelMessage, ModelRequest } from "./model.js";
import type { SdkMetadata, SdkRequest } from "./provider.js";
import type { ModelProviderSettings } from "./settings.js";

type SdkMessage = SdkRequest["prompt"][number];
type SdkTool = NonNullable<SdkRequest["tools"]>[number];

/**
 * Converts a request. `metadataOf` returns the provider's metadata of a call, which must be sent back with
 * it.
 */
export function sdkRequest(
  request: ModelRequest,
  type: ModelProviderSettings["type"],
  metadataOf: (call: string) => SdkMetadata | undefined,
): SdkRequest {
  const { system, messages, tools, maxTokens, temperature, stopSequences } = request;
  const sent: SdkMessage[] = messages.flatMap((message) => {
    const written = sdkMessage(message, metadataOf);
    return written.content.length > 0 ? [written] : [];
  });
  return {
    prompt: system ? [{ role: "system", content: system }, ...sent] : sent,
    ...(tools.length > 0 && { tools: tools.map((tool) => sdkTool(tool, type)) }),
    ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(stopSequences && stopSequences.length > 0 && { stopSequences: [...stopSequences] }),
    // By default, OpenAI would store the conversation for a month.
    ...(type === "openai" && { providerOptions: { openai: { store: false } } }),
  };
}

/** Providers reject empty text. */
const hasText = ({ text }: { readonly text: string }): boolean => text !== "";

function sdkMessage(
  message: ModelMessage,
  metadataOf: (call: string) => SdkMetadata | undefined,
): SdkMessage {
  switch (message.role) {
    case "user":
      return {
        role: "user",
        content: message.content
          .filter((part) => part.type !== "text" || hasText(part))
          .map((part) => {
            if (part.type === "text") return { type: "text", text: part.text };
            const { mimeType: mediaType, data } = part;
            return { type: "file", mediaType, data, ...(part.type === "file" && { filename: part.name }) };
          }),
      };
    case "assistant":
      return {
        role: "assistant",
        content: message.content
          .filter((part) => part.type === "call" || hasText(part))
          .map((part) => {
            if (part.type === "text") return { type: "text", text: part.text };
            const providerOptions = metadataOf(part.id);
            return {
              type: "tool-call",
              toolCallId: part.id,
              toolName: part.name,
              input: part.arguments,
              ...(providerOptions && { providerOptions }),
            };
          }),
      };
    case "tool":
      return {
        role: "tool",
        content: message.content.map(({ id, name, text, isError }) => ({
          type: "tool-result",
          toolCallId: id,
          toolName: name,
          output: { type: isError ? "error-text" : "text", value: text },
        })),
      };
  }
}

function sdkTool(tool: ModelRequest["tools"][number], type: ModelProviderSettings["type"]): SdkTool {
  const { name, description, inputSchema } = tool;
  return {
    type: "function",
    name,
    inputSchema,
    ...(description !== undefined && { description }),
    // OpenAI is strict by default: then every argument is required, and many schemas are rejected.
    ...(type === "openai" && { strict: false }),
  };
}
