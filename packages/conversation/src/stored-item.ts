/**
 * What is kept of an entry: without secrets, and without what is too large.
 *
 * @module
 */
import { isDeepStrictEqual } from "node:util";
import { sizeOf } from "@vitrine/guard";
import { type ContentBlock, withoutSecrets } from "@vitrine/protocol";
import type { CallItem, ConversationItem, UserItem } from "@vitrine/wire";

/** Characters of JSON of an entry that is kept. The store takes a little more. */
export const MAX_STORED = 900_000;

const CUT = "\n… (the rest was too long to be kept)";

/**
 * An entry, as it is kept.
 *
 * @param schema that of a call's arguments, which says what among them is secret
 */
export function storedItem(item: ConversationItem, schema: unknown): ConversationItem {
  if (item.kind === "call") return storedCall(item, schema);
  if (isSmall(item)) return { ...item };
  if (item.kind === "user") return storedUser(item);
  return { ...item, text: shortened(item.text) };
}

function storedCall(item: CallItem, schema: unknown): CallItem {
  // What is half written is of no use later, and nobody knows which half of it is a secret.
  const { inputText: _text, progress: _progress, ...rest } = item;
  const stored: CallItem = rest;
  if (stored.input) {
    const input = withoutSecrets(schema, stored.input);
    if (!isDeepStrictEqual(input, stored.input)) Object.assign(stored, { input, isInputCut: true });
  }
  if (isSmall(stored)) return stored;
  if (stored.result) {
    delete stored.result;
    stored.isResultLost = true;
  }
  if (isSmall(stored)) return stored;
  delete stored.page;
  if (isSmall(stored)) return stored;
  delete stored.input;
  stored.isInputCut = true;
  return stored;
}

/** Long text is cut, pictures and files go. */
function storedUser(item: UserItem): UserItem {
  let left = MAX_STORED / 4;
  const content = item.content.map((block): ContentBlock => {
    const size = sizeOf(block, left);
    if (size <= left) {
      left -= size;
      return block;
    }
    if (block.type !== "text") return { type: "text", text: `(${block.type}: too large to be kept)` };
    const text = shortened(block.text, left);
    left = 0;
    return { type: "text", text };
  });
  return { ...item, content };
}

/** Whether an entry is kept as it is. */
export function isTaken(item: ConversationItem): boolean {
  // Most are so small that they need not be written out: a character may be six in JSON, and a letter three bytes.
  return sizeOf(item, MAX_STORED / 6) <= MAX_STORED / 6 || isSmall(item);
}

/** A character may be six in JSON. */
const shortened = (text: string, length = MAX_STORED / 7): string => text.slice(0, length / 7) + CUT;

/** Counted first: what is far too large is not written out. */
const isSmall = (item: ConversationItem): boolean =>
  sizeOf(item, MAX_STORED) <= MAX_STORED && Buffer.byteLength(JSON.stringify(item)) <= MAX_STORED;
