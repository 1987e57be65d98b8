/**
 * Conversations as they are kept: their keys, and where their entries go.
 *
 * @module
 */
import { type ConversationItem, checkLimit } from "@vitrine/wire";
import { itemText } from "./conversation-words.js";
import { sha256, storableText } from "./row.js";
import type { StoredConversation, StoredItem } from "./schema.js";

/** An entry that is there: where, and how large. */
export type KnownItem = Pick<StoredItem, "id" | "position" | "size">;

/** Exact: no two have the same, whatever is in them. */
export const keyOf = (...names: readonly string[]): string => sha256(JSON.stringify(names));

/** As it is where a database can keep it. Exact as well: else somebody would be shown what another one has. */
export const nameOf = (user: string): string =>
  user.length > 200 || user.startsWith("sha256:") || storableText(user) !== user
    ? `sha256:${keyOf(user)}`
    : user;

/** Entries as they are kept, by their keys. Of two with the same id the last one counts. */
export function storedItems(
  conversation: string,
  items: readonly ConversationItem[],
): Map<string, StoredItem> {
  const stored = new Map<string, StoredItem>();
  for (const item of items) {
    const json = JSON.stringify(item);
    const size = Buffer.byteLength(json);
    checkLimit("item", size);
    const id = keyOf(conversation, item.id);
    stored.set(id, { id, conversation, position: 0, kind: item.kind, size, text: itemText(item), json });
  }
  return stored;
}

/** Entries that come, and the keys of those that go before. */
export interface ItemChanges {
  readonly items: ReadonlyMap<string, StoredItem>;
  readonly removed: ReadonlySet<string>;
  /** Those of both that are there. */
  readonly known: ReadonlyMap<string, KnownItem>;
}

/**
 * Gives each new entry its position, and counts what there is then. One that is there keeps the position that it has. A conversation
 * that is over a limit can always become smaller.
 */
export function placeItems(
  before: Pick<StoredConversation, "items" | "size" | "last">,
  { items, removed, known }: ItemChanges,
): { rows: StoredItem[]; counts: Pick<StoredConversation, "items" | "size" | "last"> } {
  const counts = { items: before.items, size: before.size, last: before.last };
  for (const { id, size } of known.values()) {
    counts.size -= size;
    if (removed.has(id)) counts.items--;
  }
  const rows: StoredItem[] = [];
  for (const item of items.values()) {
    const there = removed.has(item.id) ? undefined : known.get(item.id);
    if (!there) counts.items++;
    counts.size += item.size;
    rows.push({ ...item, position: there?.position ?? ++counts.last });
  }
  if (counts.items > before.items) checkLimit("items", counts.items);
  if (counts.size > before.size) checkLimit("size", counts.size);
  return { rows, counts };
}
