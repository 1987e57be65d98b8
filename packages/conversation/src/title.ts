/**
 * The title of a conversation until a user changes it.
 *
 * @module
 */
import type { ContentBlock } from "@vitrine/protocol";
import type { ConversationItem } from "@vitrine/wire";

/** The title of an empty conversation. */
export const NO_TITLE = "New conversation";

const LONGEST = 60;
/** Characters that are read: a message may be very long. */
const LOOKED_AT = 1_000;

/** Makes a title on one line; undefined if there is no text. */
export function shortTitle(text: string): string | undefined {
  const line = text.slice(0, LOOKED_AT).replace(/\s+/g, " ").trim();
  // By code points, so that none is cut in half.
  return [...line].slice(0, LONGEST).join("").trim() || undefined;
}

/** The text of a message. */
export const textOf = (content: readonly ContentBlock[]): string =>
  content.map((block) => (block.type === "text" ? block.text : "")).join(" ");

/** The title by the entries: the first message, or else the first call. */
export function titleOf(items: readonly ConversationItem[]): string {
  for (const item of items) {
    const title = item.kind === "user" ? shortTitle(textOf(item.content)) : undefined;
    if (title) return title;
  }
  return callTitle(items);
}

/** Whether the title was generated: it is the one from before there was a message. */
export const isOwnTitle = (title: string, items: readonly ConversationItem[]): boolean =>
  title === NO_TITLE || title === callTitle(items);

function callTitle(items: readonly ConversationItem[]): string {
  for (const item of items) {
    const title = item.kind === "call" ? shortTitle(item.tool) : undefined;
    if (title) return title;
  }
  return NO_TITLE;
}
