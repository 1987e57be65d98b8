/**
 * A conversation as Markdown.
 *
 * @module
 */
import type { ContentBlock } from "@vitrine/protocol";
import { type ConversationItem, type ConversationState, shownItems } from "@vitrine/wire";

/** The version of a conversation that is shown, as Markdown. Apps are their tool's result. */
export function conversationMarkdown({ title, items }: Pick<ConversationState, "title" | "items">): string {
  const parts = shownItems(items)
    .map(entryMarkdown)
    .filter((part) => part !== "");
  return `${[`# ${oneLine(title || "Conversation")}`, ...parts].join("\n\n")}\n`;
}

function entryMarkdown(item: Exclude<ConversationItem, { kind: "version" }>): string {
  switch (item.kind) {
    case "user": {
      const who = item.from ? `${item.from.title} (app of ${item.from.server})` : "You";
      return [`## ${oneLine(who)}`, ...item.content.map(blockMarkdown)].join("\n\n");
    }
    case "model": {
      const problem = item.problem && `_${oneLine(item.problem.message)}_`;
      const said = [item.text.trim(), problem].filter(Boolean);
      return said.length === 0 ? "" : [`## ${oneLine(item.model)}`, ...said].join("\n\n");
    }
    case "call": {
      const { tool, server, input = {}, result, problem, state } = item;
      const lines = [`### ${oneLine(`${tool} (${server})`)}`];
      if (Object.keys(input).length > 0) lines.push(fenced(JSON.stringify(input, null, 2), "json"));
      if (result) lines.push(...result.content.map(blockMarkdown));
      else lines.push(`_${oneLine(problem ?? state)}_`);
      return lines.join("\n\n");
    }
    case "note":
      return `> ${oneLine(item.text)}`;
  }
}

/** Text of others is in a fence, so that it cannot look like a heading of this file. */
function blockMarkdown(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return fenced(block.text, "");
    case "resource":
      return "text" in block.resource
        ? `${oneLine(block.resource.uri)}\n\n${fenced(block.resource.text, "")}`
        : `_(file ${oneLine(block.resource.uri)})_`;
    case "resource_link":
      return `_(resource ${oneLine(`${block.name}: ${block.uri}`)})_`;
    default:
      return `_(${block.type}, ${oneLine(block.mimeType)})_`;
  }
}

/** A fence that is longer than any in the text. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();
