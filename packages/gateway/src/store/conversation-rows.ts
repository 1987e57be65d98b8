/**
 * Keys and positions of stored conversations and entries.
 *
 * @module
 */
import type { KeptSummary } from "@vitrine/conversation";
import { type AnswerSettings, type ConversationItem, checkLimit, type ModelUsage } from "@vitrine/wire";
import { itemText } from "./conversation-words.js";
import { sha256, storableText } from "./row.js";
import type { StoredConversation, StoredItem } from "./schema.js";

/** The position and size of an existing entry. */
export type KnownItem = Pick<StoredItem, "id" | "position" | "size">;

/** The JSON of a conversation. */
export interface Named {
  id: string;
  title: string;
  usage: ModelUsage;
  /** Absent in conversations that have none. */
  settings?: AnswerSettings | undefined;
}

/** A conversation in a list. */
export function summaryOf({ startedAt, changedAt, json }: StoredConversation): KeptSummary {
  const { id, title } = JSON.parse(json) as Named;
  return { id, title, startedAt, changedAt };
}

/** A unique key for any combination of names. */
export const keyOf = (...names: readonly string[]): string => sha256(JSON.stringify(names));

/**
 * The user's name if the database can store it unchanged, or else a hash. Unique, so that no user can see the
 * data of another.
 */
export const nameOf = (user: string): string =>
  user.length > 200 || user.startsWith("sha256:") || storableText(user) !== user
    ? `sha256:${keyOf(user)}`
    : user;

/** Entries for the database, by key. Of two entries with the same id, the last one counts. */
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

/** Entries to write, and the keys of entries to remove before. */
export interface ItemChanges {
  readonly items: ReadonlyMap<string, StoredItem>;
  readonly removed: ReadonlySet<string>;
  /** Those of both that exist. */
  readonly known: ReadonlyMap<string, KnownItem>;
}

/**
 * Assigns a position to each new entry, and computes the totals. An existing entry keeps its position. A
 * conversation above a limit can always become smaller.
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
