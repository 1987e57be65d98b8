/**
 * The audit log of several nodes: this node writes its own chain, and reads those of all.
 *
 * @module
 */
import { checkChain, hasRow } from "./audit-check.js";
import type { StoredAuditLog } from "./audit-log.js";
import { readHead, readMark, readPages } from "./audit-reader.js";
import { ACCEPT_MARK, PRUNE_MARK, prunedBefore, readHeads } from "./chain-check.js";
import { FIRST_SLOT, slotOf } from "./chains.js";
import { ask, type DatabaseEngine } from "./engine.js";
import { missingNoted } from "./export.js";
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

/** Marks the heads of all chains. Rows that are missing from the end of one are noticed by the others. */
export const ANCHOR_MARK = "audit/anchor";

export class AuditChains implements AuditLog {
  readonly #engine: DatabaseEngine;
  readonly #own: StoredAuditLog;

  constructor(engine: DatabaseEngine, own: StoredAuditLog) {
    this.#engine = engine;
    this.#own = own;
  }

  get head(): AuditHead {
    return this.#own.head;
  }

  get healthy(): boolean {
    return this.#own.healthy;
  }

  get waiting(): number {
    return this.#own.waiting;
  }

  get isIncomplete(): boolean {
    return this.#own.isIncomplete;
  }

  begin(entry: AuditEntry): Promise<number> {
    return this.#own.begin(entry);
  }

  end(seq: number, outcome: AuditOutcome): void {
    this.#own.end(seq, outcome);
  }

  mark(mark: AuditMark): Promise<number> {
    return this.#own.mark(mark);
  }

  flush(): Promise<void> {
    return this.#own.flush();
  }

  find(user: string, key: string): ReturnType<AuditLog["find"]> {
    return this.#own.find(user, key);
  }

  mayHaveSeries(series: string): Promise<boolean> {
    return this.#own.mayHaveSeries(series);
  }

  prune(before: number, options?: PruneOptions): Promise<number> {
    return this.#own.prune(before, options);
  }

  acceptBrokenChain(by: string): Promise<number> {
    return this.#own.acceptBrokenChain(by);
  }

  /** Rows of all chains, in the order of their times. */
  async query(query: AuditQuery): Promise<StoredAuditRow[]> {
    const limit = Math.min(Math.max(Math.floor(query.limit ?? 100), 0), 1000);
    await this.#own.settle();
    const rows: StoredAuditRow[] = [];
    for (const head of await this.#heads()) rows.push(...(await this.#queryChain(head, query, limit)));
    const order = query.newestFirst === true ? -1 : 1;
    return rows.sort((a, b) => order * (a.time - b.time || a.seq - b.seq)).slice(0, limit);
  }

  /** Rows chain by chain, as {@link verifyExport} reads them. */
  async *rows(query: Omit<AuditQuery, "limit" | "newestFirst"> = {}): AsyncGenerator<StoredAuditRow> {
    await this.#own.settle();
    for (const head of await this.#heads())
      for await (const page of readPages(this.#engine, head, { ...query, newestFirst: false }))
        yield* page.map(shownRow);
  }

  async missingBefore(): Promise<number> {
    let time = await this.#own.missingBefore();
    for (const { seq } of await this.#heads()) {
      const accepted = await readMark(this.#engine, slotOf(seq), ACCEPT_MARK);
      const pruned = prunedBefore(await readMark(this.#engine, slotOf(seq), PRUNE_MARK));
      time = Math.max(time, accepted?.time ?? 0, pruned);
    }
    return time;
  }

  /** Verifies all chains, and that every head in the last anchor of each still exists. */
  async verify(noted?: AuditHead, options?: PruneOptions): Promise<Verification> {
    const own = await this.#own.verify(noted, options);
    if (!own.ok) return own;
    let { rows } = own;
    for (const head of await this.#heads()) {
      if (slotOf(head.seq) === slotOf(this.head.seq)) continue;
      const result = (await checkChain(this.#engine, head)).result();
      rows += result.rows;
      if (!result.ok) return { ...result, rows };
    }
    for (const head of await this.#heads()) {
      const anchor = await readMark(this.#engine, slotOf(head.seq), ANCHOR_MARK);
      for (const known of readHeads(anchor))
        if (!(await hasRow(this.#engine, known))) return missingNoted(known, rows);
    }
    return { ok: true, rows, head: own.head };
  }

  /** Writes the heads of all chains into this node's own. */
  async anchor(): Promise<void> {
    const heads = await this.#heads();
    await this.mark({
      method: ANCHOR_MARK,
      reason: `heads of ${heads.length} chains`,
      params: JSON.stringify({ heads: heads.map(({ seq, hash }) => ({ seq, hash })) }),
    });
  }

  async #queryChain(head: AuditHead, query: AuditQuery, limit: number): Promise<StoredAuditRow[]> {
    const rows: StoredAuditRow[] = [];
    for await (const page of readPages(this.#engine, head, query)) {
      rows.push(...page.slice(0, limit - rows.length).map(shownRow));
      if (rows.length >= limit) break;
    }
    return rows;
  }

  /** The last row of every chain. */
  async #heads(): Promise<AuditHead[]> {
    const slots = await ask(this.#engine, (db) => db.selectFrom("vitrine_nodes").select("slot").execute());
    const all = new Set([FIRST_SLOT, slotOf(this.head.seq), ...slots.map(({ slot }) => slot)]);
    const heads: AuditHead[] = [];
    for (const slot of [...all].sort((a, b) => a - b))
      heads.push(slot === slotOf(this.head.seq) ? this.head : await readHead(this.#engine, slot));
    return heads;
  }
}
