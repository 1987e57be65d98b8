/**
 * Texts for users.
 *
 * @module
 */
import { type CallToolResult, type ContentBlock, recordOf } from "@vitrine/protocol";

/** The message of any thrown value. Errors of the gateway have the trace id, with which its operator finds the call. */
export function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const { trace } = recordOf(recordOf(error)["data"]);
  return typeof trace === "string" ? `${message} (trace ${trace})` : message;
}

/** The text of a result, for a tool without an app. */
export const textOf = ({ content = [] }: Partial<CallToolResult>): string =>
  content.map(blockText).filter(Boolean).join("\n");

function blockText(block: ContentBlock): string {
  if (block.type === "text") return block.text;
  if (block.type === "resource_link") return block.uri;
  if (block.type === "resource") return "text" in block.resource ? block.resource.text : block.resource.uri;
  return `[${block.type}]`;
}
