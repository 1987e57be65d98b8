/**
 * The words of a conversation, in the form in which they are searched. It is made here and not by a database: each of them has
 * its own idea of upper and lower case.
 *
 * @module
 */
import type { ContentBlock, ConversationItem } from "@vitrine/protocol";
import { CONVERSATION_LIMITS } from "./conversation-limits.js";
import { storableText } from "./row.js";

/** Text in which a word is found however it was written: `STRASSE` in `Straße`, and a wide `Ａ` as an `a`. */
export const searchable = (text: string): string =>
  storableText(
    text
      .slice(0, CONVERSATION_LIMITS.searched)
      .normalize("NFKC")
      // Upper case first: some letters have the same upper case as another one, but not the same lower case.
      .toUpperCase()
      .toLowerCase()
      // Lower case of the last letter of a word; a part of a word ends elsewhere.
      .replaceAll("ς", "σ"),
  );

/** The words of a search. */
export const wordsOf = (search: string): string[] =>
  [...new Set(searchable(search).split(/\s+/u))].filter(Boolean).slice(0, CONVERSATION_LIMITS.words);

/** What of an entry is searched: what was said, and the names of tools and apps. */
export function itemText(item: ConversationItem): string {
  switch (item.kind) {
    case "user":
      return searchable([...texts(item.content), item.from?.title].filter(Boolean).join("\n"));
    case "model":
    case "note":
      return searchable(item.text);
    case "call":
      return searchable([item.tool, item.server, item.app?.title].filter(Boolean).join("\n"));
  }
}

const texts = (content: readonly ContentBlock[]): string[] =>
  content.flatMap((block) => (block.type === "text" && typeof block.text === "string" ? [block.text] : []));
