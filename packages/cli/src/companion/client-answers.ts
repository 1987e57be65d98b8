/**
 * Rewrites a server's answers for clients of the companion: addresses in them become the companion's.
 *
 * @module
 */
import type { CallToolResult, ContentBlock } from "@vitrine/protocol";
import { addressOf } from "./addresses.js";
import { withAddress } from "./directory.js";

/** Rewrites a tool's result, so that links and contents still refer to the right resource. */
export function resultHere(result: CallToolResult, server: string): CallToolResult {
  const content = Array.isArray(result.content) ? result.content : [];
  return withAddress({ ...result, content: content.map((block) => blockHere(block, server)) }, server);
}

function blockHere(block: ContentBlock, server: string): ContentBlock {
  if (block.type === "resource_link") return { ...block, uri: addressOf(server, block.uri) };
  if (block.type !== "resource") return block;
  return { ...block, resource: { ...block.resource, uri: addressOf(server, block.resource.uri) } };
}

/** Rewrites the answer of `prompts/get`. */
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

/**
 * Rewrites the answer of `resources/read`: the requested contents get the requested address, others get
 * theirs.
 */
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
