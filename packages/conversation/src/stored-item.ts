/**
 * Prepares an entry for the store: removes secrets and oversized parts.
 *
 * @module
 */
import { isDeepStrictEqual } from "node:util";
import { sizeOf } from "@vitrine/guard";
import { type ContentBlock, withoutSecrets } from "@vitrine/protocol";
import type { CallItem, ConversationItem, UserItem } from "@vitrine/wire";

/** Maximum characters of an entry's JSON. The store accepts a little more. */
export const MAX_STORED = 900_000;

const CUT = "\n… (the rest was too long to be stored)";

/**
 * An entry as it is stored.
 *
 * @param schema the schema of a call's arguments, which marks secrets
 */
export function storedItem(item: ConversationItem, schema: unknown): ConversationItem {
  if (item.kind === "call") return storedCall(item, schema);
  if (item.kind === "version" || isSmall(item)) return { ...item };
  if (item.kind === "user") return storedUser(item);
  return { ...item, text: shortened(item.text) };
}

function storedCall(item: CallItem, schema: unknown): CallItem {
  // Partial arguments are useless later, and it is unknown which of them are secret.
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

/** Cuts long text, and removes pictures and files. */
function storedUser(item: UserItem): UserItem {
  let left = MAX_STORED / 4;
  const content = item.content.map((block): ContentBlock => {
    const size = sizeOf(block, left);
    if (size <= left) {
      left -= size;
      return block;
    }
    if (block.type !== "text") return { type: "text", text: `(${block.type}: too large to be stored)` };
    const text = shortened(block.text, left);
    left = 0;
    return { type: "text", text };
  });
  return { ...item, content };
}

/** Whether an entry is stored unchanged. */
export function isTaken(item: ConversationItem): boolean {
  // Most entries are small enough to skip serialization: a character takes at most six in JSON, and three
  // bytes.
  return sizeOf(item, MAX_STORED / 6) <= MAX_STORED / 6 || isSmall(item);
}

/** A character takes at most six in JSON. */
const shortened = (text: string, length = MAX_STORED / 7): string => text.slice(0, length / 7) + CUT;

/** Counted first, so that a much too large entry is not serialized. */
const isSmall = (item: ConversationItem): boolean =>
  sizeOf(item, MAX_STORED) <= MAX_STORED && Buffer.byteLength(JSON.stringify(item)) <= MAX_STORED;
