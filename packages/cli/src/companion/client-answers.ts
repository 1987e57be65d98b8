/**
 * What a server answers, as clients of the companion read it: addresses in it are addresses here.
 *
 * @module
 */
import type { CallToolResult, ContentBlock } from "@vitrine/protocol";
import { addressOf } from "./addresses.js";
import { withAddress } from "./directory.js";

/** A result of a server's tool. Links and contents keep leading to what they mean. */
export function resultHere(result: CallToolResult, server: string): CallToolResult {
  const content = Array.isArray(result.content) ? result.content : [];
  return withAddress({ ...result, content: content.map((block) => blockHere(block, server)) }, server);
}

function blockHere(block: ContentBlock, server: string): ContentBlock {
  if (block.type === "resource_link") return { ...block, uri: addressOf(server, block.uri) };
  if (block.type !== "resource") return block;
  return { ...block, resource: { ...block.resource, uri: addressOf(server, block.resource.uri) } };
}

/** What `prompts/get` answers. */
export function promptHere(answer: Record<string, unknown>, server: string): Record<string, unknown> {
  const messages = Array.isArray(answer["messages"]) ? answer["messages"] : [];
  return {
    ...answer,
    messages: messages.map((message: { content: ContentBlock }) => ({
      ...message,
      content: blockHere(message.content, server),
    })),
  };
}

/** What `resources/read` answers: under the address that was asked for, and the others under those that they have here. */
export function contentsHere(
  answer: Record<string, unknown>,
  server: string,
  asked: { readonly uri: string; readonly address: string },
): Record<string, unknown> {
  const contents = Array.isArray(answer["contents"]) ? answer["contents"] : [];
  return {
    ...answer,
    contents: contents.map((each: unknown) => {
      const uri = String(Object(each)["uri"] ?? asked.uri);
      return { ...Object(each), uri: uri === asked.uri ? asked.address : addressOf(server, uri) };
    }),
  };
}
