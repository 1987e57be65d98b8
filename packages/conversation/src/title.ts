/**
 * What a conversation is called until a person says otherwise.
 *
 * @module
 */
import type { ContentBlock } from "@vitrine/protocol";
import type { ConversationItem } from "@vitrine/wire";

/** Of one in which nothing was said. */
export const NO_TITLE = "New conversation";

const LONGEST = 60;
/** What is looked at: a message may be as long as a book. */
const LOOKED_AT = 1_000;

/** A title on one line; undefined if there is no text. */
export function shortTitle(text: string): string | undefined {
  const line = text.slice(0, LOOKED_AT).replace(/\s+/g, " ").trim();
  // By characters, so that none is cut in half.
  return [...line].slice(0, LONGEST).join("").trim() || undefined;
}

const textOf = (content: readonly ContentBlock[]): string =>
  content.map((block) => (block.type === "text" ? block.text : "")).join(" ");

/** The title that the entries give: the first message, or before there is one the first call. */
export function titleOf(items: readonly ConversationItem[]): string {
  for (const item of items) {
    const title = item.kind === "user" ? shortTitle(textOf(item.content)) : undefined;
    if (title) return title;
  }
  return callTitle(items);
}

/** Whether nobody but this program gave the title: it is what the entries gave before there was a message. */
export const isOwnTitle = (title: string, items: readonly ConversationItem[]): boolean =>
  title === NO_TITLE || title === callTitle(items);

function callTitle(items: readonly ConversationItem[]): string {
  for (const item of items) {
    const title = item.kind === "call" ? shortTitle(item.tool) : undefined;
    if (title) return title;
  }
  return NO_TITLE;
}
