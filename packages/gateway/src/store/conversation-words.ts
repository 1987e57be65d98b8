/**
 * The searchable text of conversations. It is computed here and not by the database, because databases differ
 * in their handling of case.
 *
 * @module
 */
import type { ContentBlock } from "@vitrine/protocol";
import { CONVERSATION_LIMITS, type ConversationItem, type ConversationMatch } from "@vitrine/wire";
import { storableText } from "./row.js";

/**
 * Normalizes text so that a word is found in any spelling: `STRASSE` in `Straße`, and a wide `Ａ` as an `a`.
 */
export const searchable = (text: string): string =>
  storableText(
    text
      .slice(0, CONVERSATION_LIMITS.searched)
      .normalize("NFKC")
      // Upper case first: some letters share an upper case form, but not a lower case form.
      .toUpperCase()
      .toLowerCase()
      // The final form of this letter depends on the end of a word, but a search term may be a part of a
      // word.
      .replaceAll("ς", "σ"),
  );

/** The words of a search. */
export const wordsOf = (search: string): string[] =>
  [...new Set(searchable(search).split(/\s+/u))].filter(Boolean).slice(0, CONVERSATION_LIMITS.words);

/** The searchable text of an entry: its messages, and the names of tools and apps. */
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
    case "version":
      return "";
  }
}

/** Characters around a match that a list shows. */
const BEFORE = 30;
const AROUND = 120;

/** The text of an entry around the first match, and its author. */
export function matchIn(item: ConversationItem, words: readonly string[]): ConversationMatch {
  const text = plainText(item).replace(/\s+/gu, " ").trim();
  const found = searchable(text);
  const places = words.map((word) => found.indexOf(word)).filter((place) => place >= 0);
  // Some letters become two in lower case: the match may be shifted slightly, and is still visible.
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
    case "version":
      return "Note";
  }
}

const texts = (content: readonly ContentBlock[]): string[] =>
  content.flatMap((block) => (block.type === "text" && typeof block.text === "string" ? [block.text] : []));
