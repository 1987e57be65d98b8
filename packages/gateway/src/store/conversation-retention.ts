/**
 * Deletion of conversations: by age, and after a legal hold. A deleted conversation is invisible at once; its
 * entries are removed in batches, which a crash may interrupt.
 *
 * @module
 */
import { type SqlBool, sql } from "kysely";
import { ask, change, type DatabaseEngine } from "./engine.js";
import { againstNewHolds, isHeldConversation, isNoOther } from "./holds.js";
import type { HoldScope, LegalHold, LegalHolds } from "./legal-holds.js";
import { rest } from "./pace.js";
import type { StoredConversation } from "./schema.js";

/** Conversations that a statement reads. */
const PAGE = 100;
/** Entries that a statement removes: each may have a megabyte. */
const REMOVED_AT_ONCE = 20;

/** The condition for conversations that were not deleted. */
export const isVisible = sql<SqlBool>`not exists (
  select 1 from vitrine_deleted as gone where gone.id = vitrine_conversations.id)`;

/** Whether a legal hold keeps the conversation. */
export async function isHeld(
  engine: DatabaseEngine,
  key: string,
  holds: readonly HoldScope[],
): Promise<boolean> {
  if (holds.length === 0) return false;
  const row = await ask(engine, (db) =>
    db
      .selectFrom("vitrine_conversations")
      .select("id")
      .where("id", "=", key)
      .where(isHeldConversation(holds, engine.kind))
      .executeTakeFirst(),
  );
  return row !== undefined;
}

/** Makes a conversation invisible, unless it changed since `before`. Returns false if it changed. */
export async function hide(
  engine: DatabaseEngine,
  key: string,
  deletedAt: number,
  before?: number,
): Promise<boolean> {
  const rows = await change(engine, (db) =>
    db
      .insertInto("vitrine_deleted")
      .columns(["id", "deletedAt"])
      .expression((eb) => {
        const rows = eb
          .selectFrom("vitrine_conversations")
          .select(["id", sql<number>`${sql.lit(Math.round(deletedAt))}`.as("deletedAt")])
          .where("id", "=", key)
          .where(isVisible);
        return before === undefined ? rows : rows.where("changedAt", "<", before);
      }),
  );
  return rows > 0;
}

/** Conversations that did not change since `before`, and that no hold keeps. */
export async function* expired(
  engine: DatabaseEngine,
  before: number | undefined,
  holds: readonly HoldScope[],
): AsyncGenerator<Pick<StoredConversation, "id" | "user" | "json">> {
  if (before === undefined) return;
  let last = { changedAt: Number.MIN_SAFE_INTEGER, id: "" };
  for (;;) {
    const since = performance.now();
    const page = await ask(engine, (db) =>
      db
        .selectFrom("vitrine_conversations")
        .select(["id", "user", "json", "changedAt"])
        .where("changedAt", "<", Math.ceil(before))
        .where("changedAt", ">=", last.changedAt)
        .where(({ or, eb }) => or([eb("changedAt", ">", last.changedAt), eb("id", ">", last.id)]))
        .where(isVisible)
        .where(({ not }) => not(isHeldConversation(holds, engine.kind)))
        .orderBy("changedAt")
        .orderBy("id")
        .limit(PAGE)
        .execute(),
    );
    yield* page;
    last = page.at(-1) ?? last;
    if (page.length < PAGE) return;
    await rest(engine, since);
  }
}

/**
 * Removes deleted conversations that no hold keeps.
 *
 * @param check called between batches; throws to stop
 */
export async function purge(
  engine: DatabaseEngine,
  holds: Pick<LegalHolds, "list">,
  check: () => void,
): Promise<void> {
  for (let after = ""; ; ) {
    const known = await holds.list();
    const row = await ask(engine, (db) =>
      db
        .selectFrom("vitrine_deleted as gone")
        .innerJoin("vitrine_conversations", "vitrine_conversations.id", "gone.id")
        .select(["gone.id", "vitrine_conversations.last"])
        .where("gone.id", ">", after)
        .where(({ not }) => not(isHeldConversation(known, engine.kind)))
        .orderBy("gone.id")
        .limit(1)
        .executeTakeFirst(),
    );
    if (!row) return;
    check();
    // Once more, if a hold was added meanwhile: it keeps what is left.
    if (await remove(engine, row, known, check)) after = row.id;
  }
}

/** Removes a conversation; false if there is a hold that is not known, so that it may have to stay. */
async function remove(
  engine: DatabaseEngine,
  { id, last }: Pick<StoredConversation, "id" | "last">,
  known: readonly LegalHold[],
  check: () => void,
): Promise<boolean> {
  for (let through = REMOVED_AT_ONCE; ; through += REMOVED_AT_ONCE) {
    const since = performance.now();
    await change(engine, (db) => [
      ...againstNewHolds(db, engine.kind),
      db
        .deleteFrom("vitrine_conversation_items")
        .where("conversation", "=", id)
        .where("position", "<=", through)
        .where(isNoOther(known)),
    ]);
    if (through >= last) break;
    await rest(engine, since);
    check();
  }
  const removed = await change(engine, (db) => [
    ...againstNewHolds(db, engine.kind),
    db.deleteFrom("vitrine_conversation_contexts").where("conversation", "=", id).where(isNoOther(known)),
    db.deleteFrom("vitrine_conversations").where("id", "=", id).where(isNoOther(known)),
    db.deleteFrom("vitrine_deleted").where("id", "=", id).where(isNoOther(known)),
  ]);
  if (removed > 0) return true;
  const others = await ask(engine, (db) =>
    db
      .selectFrom("vitrine_holds")
      .select("id")
      .where(({ not }) => not(isNoOther(known)))
      .limit(1)
      .executeTakeFirst(),
  );
  return others === undefined;
}
