/**
 * Texts for users.
 *
 * @module
 */
import type { CallToolResult, ContentBlock } from "@vitrine/protocol";

/** The message of any thrown value. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The text of a result, for a tool without an app. */
export const textOf = ({ content = [] }: Partial<CallToolResult>): string =>
  content.map(blockText).filter(Boolean).join("\n");

function blockText(block: ContentBlock): string {
  if (block.type === "text") return block.text;
  if (block.type === "resource_link") return block.uri;
  if (block.type === "resource") return "text" in block.resource ? block.resource.text : block.resource.uri;
  return `[${block.type}]`;
}
