/**
 * Reads a stored conversation, and its parts.
 *
 * @module
 */
import type { AppContext } from "@vitrine/wire";
import { isVisible } from "./conversation-retention.js";
import type { KnownItem } from "./conversation-rows.js";
import { ask, type DatabaseEngine } from "./engine.js";
import type { StoredConversation, StoredItem } from "./schema.js";

/** Entries that a statement reads. */
export const READ_AT_ONCE = 100;
/** Entries that a statement writes or looks up. */
const WRITTEN_AT_ONCE = 100;

/** A conversation that was not deleted. */
export function readConversation(
  engine: DatabaseEngine,
  key: string,
): Promise<StoredConversation | undefined> {
  return ask(engine, (db) =>
    db
      .selectFrom("vitrine_conversations")
      .selectAll()
      .where("id", "=", key)
      .where(isVisible)
      .executeTakeFirst(),
  );
}

/** The entries of a conversation after a position; at most {@link READ_AT_ONCE}. */
export function readItems(
  engine: DatabaseEngine,
  key: string,
  after: number,
): Promise<Pick<StoredItem, "position" | "json">[]> {
  return ask(engine, (db) =>
    db
      .selectFrom("vitrine_conversation_items")
      .select(["position", "json"])
      .where("conversation", "=", key)
      .where("position", ">", after)
      .orderBy("position")
      .limit(READ_AT_ONCE)
      .execute(),
  );
}

/** The contexts of the apps of a conversation. */
export async function readContexts(engine: DatabaseEngine, key: string): Promise<AppContext[]> {
  const row = await ask(engine, (db) =>
    db
      .selectFrom("vitrine_conversation_contexts")
      .select("json")
      .where("conversation", "=", key)
      .executeTakeFirst(),
  );
  return row ? (JSON.parse(row.json) as AppContext[]) : [];
}

/** The existing ones of the entries. */
export async function readKnown(
  engine: DatabaseEngine,
  items: readonly string[],
): Promise<Map<string, KnownItem>> {
  const known = new Map<string, KnownItem>();
  for (const some of chunks(items)) {
    const rows = await ask(engine, (db) =>
      db
        .selectFrom("vitrine_conversation_items")
        .select(["id", "position", "size"])
        .where("id", "in", some)
        .execute(),
    );
    for (const row of rows) known.set(row.id, row);
  }
  return known;
}

/** Groups of as many as a statement writes or looks up. */
export function chunks<T>(all: readonly T[]): T[][] {
  const result: T[][] = [];
  for (let from = 0; from < all.length; from += WRITTEN_AT_ONCE)
    result.push(all.slice(from, from + WRITTEN_AT_ONCE));
  return result;
}
