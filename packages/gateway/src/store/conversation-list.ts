/**
 * Lists and searches the conversations of a user.
 *
 * @module
 */
import type { ConversationQuery, KeptSummary } from "@vitrine/conversation";
import type { ConversationItem, ConversationMatch } from "@vitrine/wire";
import { type SelectQueryBuilder, sql } from "kysely";
import { isVisible } from "./conversation-retention.js";
import { nameOf, summaryOf } from "./conversation-rows.js";
import { matchIn, wordsOf } from "./conversation-words.js";
import { ask, type DatabaseEngine } from "./engine.js";
import type { StoredConversation, Tables } from "./schema.js";

/** Entries that a statement searches: SQLite answers synchronously, and must not block the process. */
const SEARCHED_AT_ONCE = 100;
/** Conversations that a statement lists. */
const LISTED_AT_ONCE = 100;

/**
 * The conversations of a user, newest first.
 *
 * @param check called between statements; throws to stop
 */
export async function listConversations(
  engine: DatabaseEngine,
  user: string,
  query: ConversationQuery,
  check: () => void,
): Promise<KeptSummary[]> {
  const limit = Math.min(Math.max(Math.floor(query.limit ?? 100), 0), 1000);
  const words = wordsOf(query.search ?? "");
  const found: KeptSummary[] = [];
  if (limit === 0) return found;
  for await (const row of newestFirst(engine, user, query.before, check)) {
    // Conversations of the same millisecond stay together: `before` would skip the rest of them.
    if (found.length >= limit && row.changedAt !== found.at(-1)?.changedAt) break;
    if (words.length > 0 && !(await hasWords(engine, row, words, check))) continue;
    const match = await matchOf(engine, row, words);
    found.push({ ...summaryOf(row), ...(match && { match }) });
  }
  return found;
}

async function* newestFirst(
  engine: DatabaseEngine,
  user: string,
  before: number | undefined,
  check: () => void,
): AsyncGenerator<StoredConversation> {
  let last: StoredConversation | undefined;
  for (;;) {
    check();
    const page = await ask(engine, (db) => {
      const rows = db
        .selectFrom("vitrine_conversations")
        .selectAll()
        .where("user", "=", nameOf(user))
        .where(isVisible);
      return olderThan(rows, before, last)
        .orderBy("changedAt", "desc")
        .orderBy("id")
        .limit(LISTED_AT_ONCE)
        .execute();
    });
    yield* page;
    if (page.length < LISTED_AT_ONCE) return;
    last = page.at(-1);
  }
}

/** The first entry with most of the words that the title does not contain. */
async function matchOf(
  engine: DatabaseEngine,
  row: StoredConversation,
  words: readonly string[],
): Promise<ConversationMatch | undefined> {
  const wanted = words.filter((word) => !row.text.includes(word));
  if (wanted.length === 0) return undefined;
  const isThere = sql.raw(engine.kind === "sqlite" ? "instr" : "strpos");
  const hits = sql.join(
    wanted.map((word) => sql`case when ${isThere}("text", ${word}) > 0 then 1 else 0 end`),
    sql` + `,
  );
  const best = await ask(engine, (db) =>
    db
      .selectFrom("vitrine_conversation_items")
      .select("json")
      .where("conversation", "=", row.id)
      .orderBy(sql`${hits}`, "desc")
      .orderBy("position")
      .limit(1)
      .executeTakeFirst(),
  );
  return best && matchIn(JSON.parse(best.json) as ConversationItem, wanted);
}

async function hasWords(
  engine: DatabaseEngine,
  row: StoredConversation,
  words: readonly string[],
  check: () => void,
): Promise<boolean> {
  const isThere = sql.raw(engine.kind === "sqlite" ? "instr" : "strpos");
  let missing = words.filter((word) => !row.text.includes(word));
  for (let after = 0; after < row.last && missing.length > 0; after += SEARCHED_AT_ONCE) {
    check();
    const found = await ask(engine, (db) =>
      db
        .selectFrom("vitrine_conversation_items")
        .select(
          missing.map((word, n) =>
            sql<number | null>`max(case when ${isThere}("text", ${word}) > 0 then 1 else 0 end)`.as(`${n}`),
          ),
        )
        .where("conversation", "=", row.id)
        .where("position", ">", after)
        .where("position", "<=", after + SEARCHED_AT_ONCE)
        .executeTakeFirst(),
    );
    missing = missing.filter((_, n) => found?.[`${n}`] !== 1);
    await new Promise(setImmediate);
  }
  return missing.length === 0;
}

type Items = SelectQueryBuilder<Tables, "vitrine_conversations", StoredConversation>;

function olderThan(rows: Items, before: number | undefined, last: StoredConversation | undefined): Items {
  if (last)
    return rows.where(({ eb, or, and }) =>
      or([
        eb("changedAt", "<", last.changedAt),
        and([eb("changedAt", "=", last.changedAt), eb("id", ">", last.id)]),
      ]),
    );
  return before === undefined ? rows : rows.where("changedAt", "<", Math.ceil(before));
}
