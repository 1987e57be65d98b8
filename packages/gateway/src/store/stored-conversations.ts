/**
 * Conversations in the database. Operations on a conversation run one after the other: a write reads the
 * current state and then changes it, and nobody else writes.
 *
 * @module
 */

import type {
  ConversationQuery,
  ConversationUpdate,
  KeptConversations,
  KeptSummary,
  LoadedConversation,
} from "@vitrine/conversation";
import {
  type AppContext,
  ConversationError,
  type ConversationItem,
  type ConversationMatch,
  checkLimit,
  GatewayError,
  type ModelUsage,
} from "@vitrine/wire";
import { type SelectQueryBuilder, sql } from "kysely";
import { expired, hide, isHeld, isVisible, purge } from "./conversation-retention.js";
import { type KnownItem, keyOf, nameOf, placeItems, storedItems } from "./conversation-rows.js";
import { matchIn, searchable, wordsOf } from "./conversation-words.js";
import { ask, change, type DatabaseEngine, type Statement } from "./engine.js";
import type { LegalHolds } from "./legal-holds.js";
import type { StoredConversation, StoredItem, Tables } from "./schema.js";

/** Entries that a statement reads. */
const READ_AT_ONCE = 100;
/** Entries that a statement searches: SQLite answers synchronously, and must not block the process. */
const SEARCHED_AT_ONCE = 100;
/** Entries that a statement writes or looks up. */
const WRITTEN_AT_ONCE = 100;
/** Conversations that a statement lists. */
const LISTED_AT_ONCE = 100;

/** The JSON of a conversation. */
interface Named {
  id: string;
  title: string;
  usage: ModelUsage;
}

export class StoredConversations implements KeptConversations {
  readonly #engine: DatabaseEngine;
  readonly #holds: Pick<LegalHolds, "list">;
  readonly #now: () => number;
  /** For each conversation with pending operations: resolves when the last of them is done. */
  readonly #turns = new Map<string, Promise<void>>();
  #isClosed = false;

  constructor(engine: DatabaseEngine, holds: Pick<LegalHolds, "list">, now: () => number) {
    this.#engine = engine;
    this.#holds = holds;
    this.#now = now;
  }

  async create(
    user: string,
    { id, title, startedAt }: Pick<KeptSummary, "id" | "title" | "startedAt">,
  ): Promise<boolean> {
    checkLimit("title", title.length);
    const named: Named = { id, title, usage: { input: 0, output: 0 } };
    const row: StoredConversation = {
      id: keyOf(user, id),
      user: nameOf(user),
      startedAt: Math.round(startedAt),
      changedAt: Math.round(startedAt),
      items: 0,
      size: 0,
      last: 0,
      text: searchable(title),
      json: JSON.stringify(named),
    };
    return this.#inTurn(row.id, async () => {
      const made = await change(
        this.#engine,
        (db) =>
          db
            .insertInto("vitrine_conversations")
            .values(row)
            .onConflict((conflict) => conflict.column("id").doNothing()),
        user,
      );
      return made > 0;
    });
  }

  get(user: string, id: string): Promise<LoadedConversation | undefined> {
    const key = keyOf(user, id);
    return this.#inTurn(key, async () => {
      const row = await this.#read(key);
      if (!row) return undefined;
      const items: ConversationItem[] = [];
      for (let after = 0; after < row.last; ) {
        const page = await this.#readItems(key, after);
        for (const { json } of page) items.push(JSON.parse(json) as ConversationItem);
        after = page.length < READ_AT_ONCE ? row.last : (page.at(-1)?.position ?? row.last);
        // Yield to other work.
        await new Promise(setImmediate);
      }
      const { usage } = JSON.parse(row.json) as Named;
      return { ...summaryOf(row), items, contexts: await this.#readContexts(key), usage };
    });
  }

  async list(user: string, query: ConversationQuery = {}): Promise<KeptSummary[]> {
    const limit = Math.min(Math.max(Math.floor(query.limit ?? 100), 0), 1000);
    const words = wordsOf(query.search ?? "");
    const found: KeptSummary[] = [];
    if (limit === 0) return found;
    for await (const row of this.#newestFirst(user, query.before)) {
      // Conversations of the same millisecond stay together: `before` would skip the rest of them.
      if (found.length >= limit && row.changedAt !== found.at(-1)?.changedAt) break;
      if (words.length > 0 && !(await this.#hasWords(row, words))) continue;
      const match = await this.#match(row, words);
      found.push({ ...summaryOf(row), ...(match && { match }) });
    }
    return found;
  }

  async put(user: string, id: string, update: ConversationUpdate): Promise<void> {
    const key = keyOf(user, id);
    const { title, usage, changedAt } = update;
    if (title !== undefined) checkLimit("title", title.length);
    const removed = new Set(update.removed?.map((item) => keyOf(key, item)));
    const items = storedItems(key, update.items ?? []);
    const contexts = update.contexts && JSON.stringify(update.contexts);
    if (contexts !== undefined) checkLimit("contexts", Buffer.byteLength(contexts));
    const changed = {
      ...(title === undefined ? {} : { title }),
      ...(usage === undefined ? {} : { usage: { ...usage } }),
    };
    await this.#inTurn(key, async () => {
      const row = await this.#read(key);
      if (!row) throw unknown(id);
      const known = await this.#readKnown([...new Set([...removed, ...items.keys()])]);
      const next = placeItems(row, { items, removed, known });
      const named: Named = { ...(JSON.parse(row.json) as Named), ...changed };
      await change(
        this.#engine,
        (db) => [
          db
            .updateTable("vitrine_conversations")
            .set({
              ...next.counts,
              json: JSON.stringify(named),
              text: searchable(named.title),
              ...(changedAt === undefined ? {} : { changedAt: Math.round(changedAt) }),
            })
            .where("id", "=", key),
          ...chunks([...removed].filter((item) => known.has(item))).map((gone) =>
            db.deleteFrom("vitrine_conversation_items").where("id", "in", gone),
          ),
          ...chunks(next.rows).map(
            (rows): Statement =>
              db
                .insertInto("vitrine_conversation_items")
                .values(rows)
                .onConflict((conflict) =>
                  conflict.column("id").doUpdateSet(({ ref }) => ({
                    kind: ref("excluded.kind"),
                    size: ref("excluded.size"),
                    text: ref("excluded.text"),
                    json: ref("excluded.json"),
                  })),
                ),
          ),
          ...(contexts === undefined
            ? []
            : [
                db
                  .insertInto("vitrine_conversation_contexts")
                  .values({ conversation: key, json: contexts })
                  .onConflict((conflict) => conflict.column("conversation").doUpdateSet({ json: contexts })),
              ]),
        ],
        user,
      );
    });
  }

  rename(user: string, id: string, title: string): Promise<void> {
    return this.put(user, id, { title });
  }

  delete(user: string, id: string): Promise<boolean> {
    const key = keyOf(user, id);
    return this.#inTurn(key, async () => {
      if (!(await this.#read(key))) return false;
      const holds = await this.#holds.list();
      if (await isHeld(this.#engine, key, holds)) return hide(this.#engine, key, this.#now());
      const rows = await change(
        this.#engine,
        (db) => [
          db.deleteFrom("vitrine_conversations").where("id", "=", key),
          db.deleteFrom("vitrine_conversation_items").where("conversation", "=", key),
          db.deleteFrom("vitrine_conversation_contexts").where("conversation", "=", key),
        ],
        user,
      );
      return rows > 0;
    });
  }

  async prune(before: number | undefined, isInUse: (user: string, id: string) => boolean): Promise<string[]> {
    const users = new Set<string>();
    const holds = await this.#holds.list();
    for await (const { id: key, user, json } of expired(this.#engine, before, holds)) {
      const { id } = JSON.parse(json) as Named;
      await this.#inTurn(key, async () => {
        // Another operation may have opened or changed it meanwhile.
        if (!isInUse(user, id) && (await hide(this.#engine, key, this.#now(), before))) users.add(user);
      });
    }
    await purge(this.#engine, this.#holds, () => this.#checkOpen());
    return [...users];
  }

  /** Resolves when all operations are done; accepts no more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#turns.values());
  }

  async #inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    this.#checkOpen();
    const done = (this.#turns.get(key) ?? Promise.resolve()).then(work);
    const turn = done.then(
      () => {},
      () => {},
    );
    this.#turns.set(key, turn);
    try {
      return await done;
    } finally {
      if (this.#turns.get(key) === turn) this.#turns.delete(key);
    }
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new GatewayError("stopping", "the database is closed: restart the gateway");
  }

  #read(key: string): Promise<StoredConversation | undefined> {
    return ask(this.#engine, (db) =>
      db
        .selectFrom("vitrine_conversations")
        .selectAll()
        .where("id", "=", key)
        .where(isVisible)
        .executeTakeFirst(),
    );
  }

  #readItems(key: string, after: number): Promise<Pick<StoredItem, "position" | "json">[]> {
    return ask(this.#engine, (db) =>
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

  async #readContexts(key: string): Promise<AppContext[]> {
    const row = await ask(this.#engine, (db) =>
      db
        .selectFrom("vitrine_conversation_contexts")
        .select("json")
        .where("conversation", "=", key)
        .executeTakeFirst(),
    );
    return row ? (JSON.parse(row.json) as AppContext[]) : [];
  }

  /** The existing ones of the entries. */
  async #readKnown(items: readonly string[]): Promise<Map<string, KnownItem>> {
    const known = new Map<string, KnownItem>();
    for (const some of chunks(items)) {
      const rows = await ask(this.#engine, (db) =>
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

  async *#newestFirst(user: string, before: number | undefined): AsyncGenerator<StoredConversation> {
    let last: StoredConversation | undefined;
    for (;;) {
      this.#checkOpen();
      const page = await ask(this.#engine, (db) => {
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
  async #match(row: StoredConversation, words: readonly string[]): Promise<ConversationMatch | undefined> {
    const wanted = words.filter((word) => !row.text.includes(word));
    if (wanted.length === 0) return undefined;
    const isThere = sql.raw(this.#engine.kind === "sqlite" ? "instr" : "strpos");
    const hits = sql.join(
      wanted.map((word) => sql`case when ${isThere}("text", ${word}) > 0 then 1 else 0 end`),
      sql` + `,
    );
    const best = await ask(this.#engine, (db) =>
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

  async #hasWords(row: StoredConversation, words: readonly string[]): Promise<boolean> {
    const isThere = sql.raw(this.#engine.kind === "sqlite" ? "instr" : "strpos");
    let missing = words.filter((word) => !row.text.includes(word));
    for (let after = 0; after < row.last && missing.length > 0; after += SEARCHED_AT_ONCE) {
      this.#checkOpen();
      const found = await ask(this.#engine, (db) =>
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
}

const unknown = (id: string): ConversationError =>
  new ConversationError(
    "conversation-unknown",
    `there is no conversation "${id.slice(0, 100)}": it was deleted, or belongs to another user`,
  );

function summaryOf({ startedAt, changedAt, json }: StoredConversation): KeptSummary {
  const { id, title } = JSON.parse(json) as Named;
  return { id, title, startedAt, changedAt };
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

function chunks<T>(all: readonly T[]): T[][] {
  const result: T[][] = [];
  for (let from = 0; from < all.length; from += WRITTEN_AT_ONCE)
    result.push(all.slice(from, from + WRITTEN_AT_ONCE));
  return result;
}
