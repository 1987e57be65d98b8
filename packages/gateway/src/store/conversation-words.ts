/**
 * The words of a conversation, in the form in which they are searched. It is made here and not by a database: each of them has
 * its own idea of upper and lower case.
 *
 * @module
 */
import type { ContentBlock } from "@vitrine/protocol";
import { CONVERSATION_LIMITS, type ConversationItem, type ConversationMatch } from "@vitrine/wire";
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
export const itemText = (item: ConversationItem): string => searchable(plainText(item));

function plainText(item: ConversationItem): string {
  switch (item.kind) {
    case "user":
      return [...texts(item.content), item.from?.title].filter(Boolean).join("\n");
    case "model":
    case "note":
      return item.text;
    case "call":
      return [item.tool, item.server, item.app?.title].filter(Boolean).join("\n");
  }
}

/** Characters around a match that a list shows. */
const BEFORE = 30;
const AROUND = 120;

/** The words of an entry around the first match, and whose they are. */
export function matchIn(item: ConversationItem, words: readonly string[]): ConversationMatch {
  const text = plainText(item).replace(/\s+/gu, " ").trim();
  const found = searchable(text);
  const places = words.map((word) => found.indexOf(word)).filter((place) => place >= 0);
  // Some letters are two in lower case: the match may be a little further left then, and is still shown.
  const from = Math.max(0, Math.min(...places, text.length) - BEFORE);
  const cut = text.slice(from, from + AROUND);
  return {
    item: item.id,
    who: whoOf(item),
    text: `${from > 0 ? "…" : ""}${cut}${from + AROUND < text.length ? "…" : ""}`,
  };
}

function whoOf(item: ConversationItem): string {
  switch (item.kind) {
    case "user":
      return item.from?.title ?? "You";
    case "model":
      return item.model;
    case "call":
      return "Tool";
    case "note":
      return "Note";
  }
}

const texts = (content: readonly ContentBlock[]): string[] =>
  content.flatMap((block) => (block.type === "text" && typeof block.text === "string" ? [block.text] : []));
