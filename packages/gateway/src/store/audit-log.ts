/**
 * The audit log of one slot: a single writer, many readers.
 *
 * @module
 */
import { join } from "node:path";
import { GatewayError } from "@vitrine/wire";
import { checkChain, hasRow, missingRow } from "./audit-check.js";
import {
  findByKey,
  hasSeries,
  readMark,
  readPages,
  readSettled,
  readUnfinished,
  writeSettled,
} from "./audit-reader.js";
import type { AuditWriter } from "./audit-writer.js";
import { ACCEPT_MARK, type ChainCheck, PRUNE_MARK, prunedBefore, prunedThrough } from "./chain-check.js";
import { FIRST_SLOT, slotOf, startOf } from "./chains.js";
import type { DatabaseEngine } from "./engine.js";
import { type HeldLog, releaseHeld, settleLate, verifyHeld } from "./held-rows.js";
import type { LegalHolds } from "./legal-holds.js";
import { pruneLog, removeRows } from "./retention.js";
import { shownRow } from "./row.js";
import type {
  AuditEntry,
  AuditHead,
  AuditLog,
  AuditMark,
  AuditOutcome,
  AuditQuery,
  PruneOptions,
  StoredAuditRow,
  Verification,
} from "./store.js";
import { archiveIn, type CheckedArchive, checkArchive, wrongFile } from "./verify-archive.js";

export class StoredAuditLog implements AuditLog {
  readonly #engine: DatabaseEngine;
  readonly #writer: AuditWriter;
  readonly #held: HeldLog;
  readonly #mayAct: (user: string) => boolean;
  /** Rows that were written, but are missing from the end, until that is accepted. */
  #missing: Verification | undefined;
  /** Resolves when no work on old rows is running. */
  #retaining: Promise<void> = Promise.resolve();

  /** @param mayAct whether calls of the user may have effects now */
  constructor(
    engine: DatabaseEngine,
    writer: AuditWriter,
    holds: Pick<LegalHolds, "list">,
    mayAct: (user: string) => boolean = () => true,
  ) {
    this.#engine = engine;
    this.#writer = writer;
    this.#mayAct = mayAct;
    this.#held = { engine, writer, holds, genesis: startOf(this.#slot), start: () => this.#start() };
  }

  get head(): AuditHead {
    return this.#writer.head;
  }

  get #slot(): number {
    return slotOf(this.head.seq);
  }

  get healthy(): boolean {
    return this.#writer.healthy;
  }

  get waiting(): number {
    return this.#writer.waiting;
  }

  async begin(entry: AuditEntry): Promise<number> {
    const seq = await this.#writer.write({ ...entry, kind: "entry" });
    // The process may have been frozen since the database accepted the row.
    if (entry.decision !== "allowed" || this.#mayAct(entry.user)) return seq;
    this.#writer.end(seq, { outcome: "cancelled", code: "stopping", duration: 0 });
    throw new GatewayError("stopping", "another node of the gateway may serve this user now");
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

  /** Writes queued rows, if possible. */
  settle(): Promise<void> {
    return this.#writer.settle();
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

  async verify(noted?: AuditHead, options: PruneOptions = {}): Promise<Verification> {
    await this.#writer.settle();
    const archive = this.#archiveOf(options);
    const archived = archive === undefined ? undefined : await this.#checkArchive(archive);
    if (archived && !archived.result.ok) return archived.result;
    const result = await this.#verifyEnd(Number.POSITIVE_INFINITY, [noted], archived?.check);
    if (!result.ok) return result;
    return (await this.#alone(() => verifyHeld(this.#held, result.rows))) ?? result;
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

  /** Breaks in the files may be accepted by rows of the database, so they are not reported here. */
  async #checkArchive(folder: string): Promise<CheckedArchive> {
    const archived = await checkArchive(folder);
    const { check, hashes } = archived;
    const marks: [string, string][] = [];
    for await (const page of readPages(this.#engine, this.head, { method: PRUNE_MARK }))
      marks.push(...page.flatMap(archiveIn));
    const isLater = check.head.seq > this.head.seq;
    const later = isLater ? missingRow(check.head, this.head, check.result().rows) : undefined;
    const damaged = archived.result.ok || check.breaks().length > 0 ? undefined : archived.result;
    const result = damaged ?? later ?? wrongFile(marks, hashes, check);
    return { ...archived, result: result ?? { ok: true, rows: 0, head: check.head.hash } };
  }

  async #verifyEnd(
    count: number,
    noted: readonly (AuditHead | undefined)[],
    archived?: ChainCheck,
  ): Promise<Verification> {
    const head = this.head;
    const result = (await checkChain(this.#engine, head, count, archived)).result();
    if (!result.ok) return result;
    for (const known of [head, ...noted]) {
      if (known && !(await hasRow(this.#engine, known))) return missingRow(known, head, result.rows);
    }
    return this.#missing ?? result;
  }

  prune(before: number, options: PruneOptions = {}): Promise<number> {
    return this.#alone(() => pruneLog(this.#held, before, { ...options, archive: this.#archiveOf(options) }));
  }

  get isIncomplete(): boolean {
    return this.#writer.brokenBy !== undefined;
  }

  async missingBefore(): Promise<number> {
    if (this.isIncomplete) return Number.POSITIVE_INFINITY;
    const accepted = await readMark(this.#engine, this.#slot, ACCEPT_MARK);
    return Math.max(accepted?.time ?? 0, prunedBefore(await readMark(this.#engine, this.#slot, PRUNE_MARK)));
  }

  async acceptBrokenChain(by: string): Promise<number> {
    const problem = this.#writer.brokenBy;
    if (problem === undefined) return 0;
    const breaks = (await checkChain(this.#engine, this.head)).breaks();
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
    const pruned = prunedThrough(await readMark(this.#engine, this.#slot, PRUNE_MARK));
    await settleLate(this.#held);
    if (pruned) await removeRows(this.#held, pruned.seq);
    await releaseHeld(this.#held);
    for (const entry of await readUnfinished(this.#engine, await readSettled(this.#engine, this.#slot))) {
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

  /** The last row that was removed, or the start of the chain. */
  async #start(): Promise<AuditHead> {
    return prunedThrough(await readMark(this.#engine, this.#slot, PRUNE_MARK)) ?? startOf(this.#slot);
  }

  /** The folder for the rows of this slot: a node may have several slots in its life. */
  #archiveOf({ archive }: PruneOptions): string | undefined {
    return archive === undefined || this.#slot === FIRST_SLOT ? archive : join(archive, `slot-${this.#slot}`);
  }

  /** Runs after earlier work on old rows. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#retaining.then(work);
    this.#retaining = done.then(
      () => {},
      () => {},
    );
    return done;
  }
}
