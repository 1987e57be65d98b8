/**
 * The audit log: a single writer, many readers.
 *
 * @module
 */
import { GatewayError } from "@vitrine/wire";
import {
  findByKey,
  hasSeries,
  readFirstSeq,
  readMark,
  readPages,
  readRow,
  readSettled,
  readUnfinished,
  writeSettled,
} from "./audit-reader.js";
import type { AuditWriter } from "./audit-writer.js";
import { ACCEPT_MARK, ChainCheck, PRUNE_MARK, prunedBefore, prunedThrough } from "./chain-check.js";
import { ask, change, type DatabaseEngine } from "./engine.js";
import { missingNoted } from "./export.js";
import { GENESIS, shownRow } from "./row.js";
import type {
  AuditEntry,
  AuditHead,
  AuditLog,
  AuditMark,
  AuditOutcome,
  AuditQuery,
  StoredAuditRow,
  Verification,
} from "./store.js";

/** Rows that a statement removes. */
const REMOVED_AT_ONCE = 1000;

export class StoredAuditLog implements AuditLog {
  readonly #engine: DatabaseEngine;
  readonly #writer: AuditWriter;
  /** Rows that were written, but are missing from the end, until that is accepted. */
  #missing: Verification | undefined;

  constructor(engine: DatabaseEngine, writer: AuditWriter) {
    this.#engine = engine;
    this.#writer = writer;
  }

  get head(): AuditHead {
    return this.#writer.head;
  }

  get healthy(): boolean {
    return this.#writer.healthy;
  }

  get waiting(): number {
    return this.#writer.waiting;
  }

  begin(entry: AuditEntry): Promise<number> {
    return this.#writer.write({ ...entry, kind: "entry" });
  }

  end(seq: number, outcome: AuditOutcome): void {
    this.#writer.end(seq, outcome);
  }

  mark(mark: AuditMark): Promise<number> {
    return this.#writer.write({ ...mark, kind: "mark" });
  }

  flush(): Promise<void> {
    return this.#writer.flush();
  }

  async find(
    user: string,
    key: string,
  ): Promise<{ entry: StoredAuditRow; outcome?: StoredAuditRow | undefined } | undefined> {
    let found = await findByKey(this.#engine, user, key);
    if (found && !found.outcome) {
      // The outcome may be waiting for the next commit.
      await this.#writer.settle();
      found = await findByKey(this.#engine, user, key);
    }
    return found && { entry: shownRow(found.entry), outcome: found.outcome && shownRow(found.outcome) };
  }

  async mayHaveSeries(series: string): Promise<boolean> {
    return hasSeries(this.#engine, series);
  }

  async query(query: AuditQuery): Promise<StoredAuditRow[]> {
    const limit = Math.min(Math.max(Math.floor(query.limit ?? 100), 0), 1000);
    const rows: StoredAuditRow[] = [];
    await this.#writer.settle();
    for await (const page of readPages(this.#engine, this.head, query)) {
      rows.push(...page.slice(0, limit - rows.length).map(shownRow));
      if (rows.length >= limit) break;
    }
    return rows;
  }

  async *rows(query: Omit<AuditQuery, "limit" | "newestFirst"> = {}): AsyncGenerator<StoredAuditRow> {
    await this.#writer.settle();
    for await (const page of readPages(this.#engine, this.head, { ...query, newestFirst: false })) {
      yield* page.map(shownRow);
    }
  }

  async verify(noted?: AuditHead): Promise<Verification> {
    await this.#writer.settle();
    return this.#verifyEnd(Number.POSITIVE_INFINITY, [noted]);
  }

  /**
   * At the start: checks about the last `count` rows, and trusts the one before them. Rows that were noted
   * earlier must exist.
   */
  async verifyStart(count: number, noted: readonly (AuditHead | undefined)[]): Promise<Verification> {
    const result = await this.#verifyEnd(count, []);
    if (!result.ok) return result;
    const withNotes = await this.#verifyEnd(0, noted);
    if (!withNotes.ok) this.#missing = withNotes;
    return withNotes.ok ? result : withNotes;
  }

  async #verifyEnd(count: number, noted: readonly (AuditHead | undefined)[]): Promise<Verification> {
    const head = this.head;
    const result = (await this.#check(head, count)).result();
    if (!result.ok) return result;
    for (const known of [head, ...noted]) {
      if (known && !(await this.#has(known))) return missingRow(known, head, result.rows);
    }
    return this.#missing ?? result;
  }

  async prune(before: number): Promise<number> {
    await this.#writer.settle();
    const through = await this.#prunable(before);
    const first = await readFirstSeq(this.#engine);
    if (through < first || first === 0) return 0;
    const last = await readRow(this.#engine, through);
    if (!last)
      throw new GatewayError("audit-failed", `row ${through} of the audit log is missing: verify it first`);
    const removed = through - first + 1;
    const params = JSON.stringify({ removed, through, hash: last.hash, before });
    await this.#writer.write({ kind: "mark", actor: "operator", method: PRUNE_MARK, params });
    await removeRows(this.#engine, through);
    return removed;
  }

  get isIncomplete(): boolean {
    return this.#writer.brokenBy !== undefined;
  }

  async missingBefore(): Promise<number> {
    if (this.isIncomplete) return Number.POSITIVE_INFINITY;
    const accepted = await readMark(this.#engine, ACCEPT_MARK);
    return Math.max(accepted?.time ?? 0, prunedBefore(await readMark(this.#engine, PRUNE_MARK)));
  }

  async acceptBrokenChain(by: string): Promise<number> {
    const problem = this.#writer.brokenBy;
    if (problem === undefined) return 0;
    const breaks = (await this.#check(this.head)).breaks();
    this.#missing = undefined;
    this.#writer.accept();
    await this.#writer.write({
      kind: "mark",
      user: by,
      actor: "operator",
      method: ACCEPT_MARK,
      reason: problem,
      params: JSON.stringify({ breaks: breaks.map(({ seq, expected }) => ({ seq, expected })) }),
    });
    await this.start();
    return breaks.length;
  }

  /** After the start: completes interrupted work. */
  async start(): Promise<void> {
    const pruned = prunedThrough(await readMark(this.#engine, PRUNE_MARK));
    if (pruned) await removeRows(this.#engine, pruned.seq);
    for (const entry of await readUnfinished(this.#engine, await readSettled(this.#engine))) {
      this.#writer.adopt(entry);
      this.#writer.end(entry.seq, { outcome: "indeterminate", duration: 0 });
    }
    await this.#writer.settle();
    await this.#noteSettled();
  }

  async close(): Promise<void> {
    await this.#writer.close();
    await this.#noteSettled();
  }

  /** Lets the next start skip finished rows. If this cannot be stored, the next start checks them again. */
  async #noteSettled(): Promise<void> {
    if (!this.#writer.isSettled || this.#writer.brokenBy !== undefined) return;
    await writeSettled(this.#engine, this.head.seq).catch(() => {});
  }

  async #check(head: AuditHead, count = Number.POSITIVE_INFINITY): Promise<ChainCheck> {
    const pruned = prunedThrough(await readMark(this.#engine, PRUNE_MARK));
    let start = pruned ?? GENESIS;
    if (head.seq - start.seq > count) start = (await readRow(this.#engine, head.seq - count)) ?? start;
    const check = new ChainCheck({ seq: start.seq, hash: start.hash });
    for await (const page of readPages(this.#engine, head, { after: start.seq })) {
      for (const row of page) check.add(row);
    }
    return check;
  }

  /** The last row that may be removed: all rows up to it are old, and none waits for its outcome. */
  async #prunable(before: number): Promise<number> {
    const kept = await ask(this.#engine, (db) =>
      db
        .selectFrom("vitrine_audit")
        .select((select) => select.fn.min("seq").as("seq"))
        .where("time", ">=", Math.ceil(before))
        .executeTakeFirst(),
    );
    return Math.min(kept?.seq ?? this.head.seq + 1, this.#writer.oldestOpen) - 1;
  }

  async #has({ seq, hash }: AuditHead): Promise<boolean> {
    if (seq === 0) return true;
    const row = await readRow(this.#engine, seq);
    if (row) return row.hash === hash;
    const pruned = prunedThrough(await readMark(this.#engine, PRUNE_MARK));
    return pruned !== undefined && seq <= pruned.seq;
  }
}

/** The result if a row that was written is missing. */
function missingRow(known: AuditHead, head: AuditHead, rows: number): Verification {
  if (known.seq <= head.seq) return missingNoted(known, rows);
  const { seq } = known;
  const which = seq === head.seq + 1 ? `row ${seq} is` : `rows ${head.seq + 1} to ${seq} are`;
  const message = `${which} missing from its end: the database file or its -wal file was cut short, or an older backup was restored`;
  return { ok: false, rows, seq, message };
}

/** Removes rows from the oldest on, in batches, so that others can write in between. */
async function removeRows(engine: DatabaseEngine, through: number): Promise<void> {
  for (;;) {
    const first = await readFirstSeq(engine);
    if (first === 0 || first > through) return;
    const last = Math.min(through, first + REMOVED_AT_ONCE - 1);
    await change(engine, (db) => [
      db.deleteFrom("vitrine_audit").where("seq", "<=", last),
      db.deleteFrom("vitrine_results").where("seq", "<=", last),
    ]);
    await new Promise(setImmediate);
  }
}
