/**
 * The audit log of several nodes: this node writes its own chain, and reads those of all.
 *
 * @module
 */
import { StoredAuditLog } from "./audit-log.js";
import { readHead, readMark, readPages } from "./audit-reader.js";
import type { AuditWriter } from "./audit-writer.js";
import { ACCEPT_MARK, ANCHOR_MARK, PRUNE_MARK, prunedBefore } from "./chain-check.js";
import { readSlots, verifyOthers } from "./chain-verification.js";
import { slotOf } from "./chains.js";
import { type FreeSlotsOptions, pruneFreeSlots } from "./free-slots.js";
import { shownRow } from "./row.js";
import type { AuditHead, AuditQuery, PruneOptions, StoredAuditRow, Verification } from "./store.js";

export class AuditChains extends StoredAuditLog {
  readonly #all: FreeSlotsOptions;

  constructor(all: FreeSlotsOptions, writer: AuditWriter, mayAct?: (user: string) => boolean) {
    super(all.engine, writer, all.holds, mayAct);
    this.#all = all;
  }

  /** Removes old rows of this node's chain, and of chains whose nodes are gone. */
  override async prune(before: number, options: PruneOptions = {}): Promise<number> {
    const own = await super.prune(before, options);
    return own + (await pruneFreeSlots(this.#all, before, options));
  }

  /** Rows of all chains, in the order of their times. */
  override async query(query: AuditQuery): Promise<StoredAuditRow[]> {
    const limit = Math.min(Math.max(Math.floor(query.limit ?? 100), 0), 1000);
    await this.settle();
    const rows: StoredAuditRow[] = [];
    for (const head of await this.#heads()) rows.push(...(await this.#queryChain(head, query, limit)));
    const order = query.newestFirst === true ? -1 : 1;
    return rows.sort((a, b) => order * (a.time - b.time || a.seq - b.seq)).slice(0, limit);
  }

  /** Rows chain by chain, as {@link verifyExport} reads them. */
  override async *rows(
    query: Omit<AuditQuery, "limit" | "newestFirst"> = {},
  ): AsyncGenerator<StoredAuditRow> {
    await this.settle();
    for (const head of await this.#heads())
      for await (const page of readPages(this.#all.engine, head, { ...query, newestFirst: false }))
        yield* page.map(shownRow);
  }

  override async missingBefore(): Promise<number> {
    const { engine } = this.#all;
    let time = await super.missingBefore();
    for (const slot of await readSlots(engine)) {
      const accepted = await readMark(engine, slot, ACCEPT_MARK);
      const pruned = prunedBefore(await readMark(engine, slot, PRUNE_MARK));
      time = Math.max(time, accepted?.time ?? 0, pruned);
    }
    return time;
  }

  /** Verifies all chains with their archives, and that every head in the last anchor of each still exists. */
  override async verify(noted?: AuditHead, options: PruneOptions = {}): Promise<Verification> {
    const own = await super.verify(noted, options);
    if (!own.ok) return own;
    const others = await verifyOthers(this.#all.engine, options.archive, this.slot);
    const rows = own.rows + others.rows;
    return others.ok ? { ...own, rows } : { ...others, rows };
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
    for await (const page of readPages(this.#all.engine, head, query)) {
      rows.push(...page.slice(0, limit - rows.length).map(shownRow));
      if (rows.length >= limit) break;
    }
    return rows;
  }

  /** The last row of every chain. */
  async #heads(): Promise<AuditHead[]> {
    const heads: AuditHead[] = [];
    for (const slot of await readSlots(this.#all.engine))
      heads.push(slot === slotOf(this.head.seq) ? this.head : await readHead(this.#all.engine, slot));
    return heads;
  }
}
