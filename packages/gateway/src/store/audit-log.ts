/**
 * The audit log of one slot: a single writer, many readers.
 *
 * @module
 */
import { GatewayError } from "@vitrine/wire";
import { archiveOf } from "./archive.js";
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
import { ACCEPT_MARK, PRUNE_MARK, prunedBefore, prunedThrough } from "./chain-check.js";
import { verifyChain } from "./chain-verification.js";
import { slotOf, startOf } from "./chains.js";
import type { DatabaseEngine } from "./engine.js";
import { type HeldLog, releaseHeld, settleLate } from "./held-rows.js";
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
    this.#held = { engine, writer, holds, genesis: startOf(this.slot), start: () => this.#start() };
  }

  get head(): AuditHead {
    return this.#writer.head;
  }

  get slot(): number {
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

  /** Verifies this chain, while no work on old rows is running. */
  async verify(noted?: AuditHead, { archive }: PruneOptions = {}): Promise<Verification> {
    await this.#writer.settle();
    const result = await this.#alone(() => verifyChain(this.#engine, this.head, { noted: [noted], archive }));
    return result.ok ? (this.#missing ?? result) : result;
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
    const result = (await checkChain(this.#engine, head, count)).result();
    if (!result.ok) return result;
    for (const known of [head, ...noted]) {
      if (known && !(await hasRow(this.#engine, known))) return missingRow(known, head, result.rows);
    }
    return this.#missing ?? result;
  }

  prune(before: number, { archive }: PruneOptions = {}): Promise<number> {
    const folder = archive === undefined ? undefined : archiveOf(archive, this.slot);
    return this.#alone(() => pruneLog(this.#held, before, { archive: folder }));
  }

  get isIncomplete(): boolean {
    return this.#writer.brokenBy !== undefined;
  }

  async missingBefore(): Promise<number> {
    if (this.isIncomplete) return Number.POSITIVE_INFINITY;
    const accepted = await readMark(this.#engine, this.slot, ACCEPT_MARK);
    return Math.max(accepted?.time ?? 0, prunedBefore(await readMark(this.#engine, this.slot, PRUNE_MARK)));
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
    const pruned = prunedThrough(await readMark(this.#engine, this.slot, PRUNE_MARK));
    await settleLate(this.#held);
    if (pruned) await removeRows(this.#held, pruned.seq);
    await releaseHeld(this.#held);
    for (const entry of await readUnfinished(this.#engine, await readSettled(this.#engine, this.slot))) {
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
    return prunedThrough(await readMark(this.#engine, this.slot, PRUNE_MARK)) ?? startOf(this.slot);
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
