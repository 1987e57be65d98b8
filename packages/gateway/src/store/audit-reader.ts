/**
 * Reads the audit log. A search reads it in batches: SQLite answers synchronously, and a search for a rare
 * value in millions of rows must not block the process.
 *
 * @module
 */
import type { SelectQueryBuilder } from "kysely";
import { endOf, FIRST_SLOT, slotOf, startOf } from "./chains.js";
import { ask, change, type QueryEngine } from "./engine.js";
import { rest } from "./pace.js";
import { indexable, type StoredRow, storableText } from "./row.js";
import type { Tables } from "./schema.js";
import type { AuditHead, AuditQuery } from "./store.js";

/** Rows that a statement searches. */
const STRETCH = 1000;
/** Rows that a statement returns: it takes about a millisecond. */
const PAGE = 100;

type Query = SelectQueryBuilder<Tables, "vitrine_audit", StoredRow>;

/** The last row of a slot. */
export async function readHead(engine: QueryEngine, slot: number): Promise<AuditHead> {
  const row = await ask(engine, (db) =>
    db
      .selectFrom("vitrine_audit")
      .select(["seq", "hash"])
      .where("seq", "<=", endOf(slot))
      .where("seq", ">", startOf(slot).seq)
      .orderBy("seq", "desc")
      .limit(1)
      .executeTakeFirst(),
  );
  return row ?? startOf(slot);
}

/** The number of the oldest row of a slot; undefined if it has none. */
export async function readFirstSeq(engine: QueryEngine, slot: number): Promise<number | undefined> {
  const row = await ask(engine, (db) =>
    db
      .selectFrom("vitrine_audit")
      .select("seq")
      .where("seq", ">", startOf(slot).seq)
      .where("seq", "<=", endOf(slot))
      .orderBy("seq")
      .limit(1)
      .executeTakeFirst(),
  );
  return row?.seq;
}

/** A row. */
export const readRow = (engine: QueryEngine, seq: number): Promise<StoredRow | undefined> =>
  ask(engine, (db) => db.selectFrom("vitrine_audit").selectAll().where("seq", "=", seq).executeTakeFirst());

/** The last mark of a kind in a slot. */
export const readMark = (engine: QueryEngine, slot: number, method: string): Promise<StoredRow | undefined> =>
  ask(engine, (db) =>
    db
      .selectFrom("vitrine_audit")
      .selectAll()
      .where("kind", "=", "mark")
      .where("method", "=", method)
      .where("seq", ">", startOf(slot).seq)
      .where("seq", "<=", endOf(slot))
      .orderBy("seq", "desc")
      .limit(1)
      .executeTakeFirst(),
  );

/** Rows of a slot in order, in pages, up to its `head`. */
export async function* readPages(
  engine: QueryEngine,
  head: AuditHead,
  query: Omit<AuditQuery, "limit"> = {},
): AsyncGenerator<StoredRow[]> {
  // Rows from `low` to `high`, both inclusive, are not read yet.
  const first = await readFirstSeq(engine, slotOf(head.seq));
  if (first === undefined) return;
  let low = Math.max((query.after ?? 0) + 1, first);
  let high = head.seq;
  const newest = query.newestFirst === true;
  while (low <= high) {
    const since = performance.now();
    const from = newest ? Math.max(low, high - STRETCH + 1) : low;
    const to = newest ? high : Math.min(high, low + STRETCH - 1);
    const page = await ask(engine, (db) =>
      matching(db.selectFrom("vitrine_audit").selectAll(), query)
        .where("seq", ">=", from)
        .where("seq", "<=", to)
        .orderBy("seq", newest ? "desc" : "asc")
        .limit(PAGE)
        .execute(),
    );
    const last = page.length === PAGE ? page.at(-1)?.seq : undefined;
    if (newest) high = (last ?? from) - 1;
    else low = (last ?? to) + 1;
    if (page.length > 0) yield page;
    await rest(engine, since);
  }
}

function matching(rows: Query, query: AuditQuery): Query {
  let found = rows;
  if (query.user !== undefined) found = found.where("user", "=", indexable(query.user));
  for (const field of ["view", "server", "identity", "trace", "method", "decision", "outcome"] as const) {
    const value = query[field];
    if (value !== undefined) found = found.where(field, "=", storableText(value));
  }
  if (query.from !== undefined) found = found.where("time", ">=", Math.ceil(query.from));
  if (query.to !== undefined) found = found.where("time", "<=", Math.floor(query.to));
  return found;
}

/**
 * The entry with a caller's key, and its outcome. An allowed entry takes precedence over a refused one,
 * whichever is newer, because it may have run. A cancelled entry did not run, so it comes last.
 */
export async function findByKey(
  engine: QueryEngine,
  user: string,
  key: string,
): Promise<{ entry: StoredRow; outcome?: StoredRow | undefined } | undefined> {
  const entries = await ask(engine, (db) =>
    db
      .selectFrom("vitrine_audit")
      .selectAll()
      .where("key", "=", indexable(key))
      .where("user", "=", indexable(user))
      .orderBy("decision")
      .orderBy("seq", "desc")
      .limit(100)
      .execute(),
  );
  if (entries.length === 0) return undefined;
  const outcomes = await ask(engine, (db) =>
    db
      .selectFrom("vitrine_audit")
      .selectAll()
      .where(
        "of",
        "in",
        entries.map(({ seq }) => seq),
      )
      .execute(),
  );
  const found = entries.map((entry) => ({ entry, outcome: outcomes.find(({ of }) => of === entry.seq) }));
  return found.find(({ outcome }) => outcome?.outcome !== "cancelled") ?? found[0];
}

/**
 * Whether there may be a key that starts with `series` and a dot. SQLite compares text by bytes, so its index
 * finds them. PostgreSQL compares by the database's locale and cannot use the index: the answer is always
 * true.
 */
export async function hasSeries(engine: QueryEngine, series: string): Promise<boolean> {
  if (engine.kind !== "sqlite") return true;
  // "/" is the character after ".".
  const row = await ask(engine, (db) =>
    db
      .selectFrom("vitrine_audit")
      .select("seq")
      .where("key", ">=", storableText(`${series}.`))
      .where("key", "<", storableText(`${series}/`))
      .limit(1)
      .executeTakeFirst(),
  );
  return row !== undefined;
}

/** Allowed entries of a slot without an outcome, after a row. */
export const readUnfinished = (engine: QueryEngine, after: number): Promise<StoredRow[]> =>
  ask(engine, (db) =>
    db
      .selectFrom("vitrine_audit as entry")
      .leftJoin("vitrine_audit as outcome", "outcome.of", "entry.seq")
      .selectAll("entry")
      .where("entry.kind", "=", "entry")
      .where("entry.decision", "=", "allowed")
      .where("entry.seq", ">", after)
      .where("entry.seq", "<=", endOf(slotOf(after)))
      .where("outcome.seq", "is", null)
      .orderBy("entry.seq")
      .execute(),
  );

const settledName = (slot: number): string => (slot === FIRST_SLOT ? "settled" : `settled:${slot}`);

/** The row of a slot up to which every entry has its outcome. */
export async function readSettled(engine: QueryEngine, slot: number): Promise<number> {
  const name = settledName(slot);
  const row = await ask(engine, (db) =>
    db.selectFrom("vitrine_state").select("value").where("name", "=", name).executeTakeFirst(),
  );
  return Number(row?.value ?? startOf(slot).seq);
}

export async function writeSettled(engine: QueryEngine, seq: number): Promise<void> {
  const value = String(seq);
  await change(engine, (db) =>
    db
      .insertInto("vitrine_state")
      .values({ name: settledName(slotOf(seq)), value })
      .onConflict((conflict) => conflict.column("name").doUpdateSet({ value })),
  );
}
