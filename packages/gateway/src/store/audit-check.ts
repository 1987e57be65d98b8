/**
 * Checks a chain of the audit log in the database.
 *
 * @module
 */
import { readMark, readPages, readRow } from "./audit-reader.js";
import { ChainCheck, PRUNE_MARK, prunedThrough } from "./chain-check.js";
import { isStart, slotOf, startOf } from "./chains.js";
import type { QueryEngine } from "./engine.js";
import { missingNoted } from "./export.js";
import type { AuditHead, Verification } from "./store.js";

/**
 * Checks the last `count` rows of a chain, up to its head.
 *
 * @param archived continues the check of archive files
 */
export async function checkChain(
  engine: QueryEngine,
  head: AuditHead,
  count = Number.POSITIVE_INFINITY,
  archived?: ChainCheck,
): Promise<ChainCheck> {
  const slot = slotOf(head.seq);
  const pruned = prunedThrough(await readMark(engine, slot, PRUNE_MARK));
  let start = archived && !isStart(archived.head) ? archived.head : (pruned ?? startOf(slot));
  if (head.seq - start.seq > count) start = (await readRow(engine, head.seq - count)) ?? start;
  const check = archived ?? new ChainCheck({ seq: start.seq, hash: start.hash });
  for await (const page of readPages(engine, head, { after: start.seq })) {
    for (const row of page) check.add(row);
  }
  return check;
}

/** Whether a row exists, or was pruned. */
export async function hasRow(engine: QueryEngine, head: AuditHead): Promise<boolean> {
  const { seq, hash } = head;
  if (isStart(head)) return true;
  const row = await readRow(engine, seq);
  if (row) return row.hash === hash;
  const pruned = prunedThrough(await readMark(engine, slotOf(seq), PRUNE_MARK));
  return pruned !== undefined && seq <= pruned.seq;
}

/** The result if a row that was written is missing. */
export function missingRow(known: AuditHead, head: AuditHead, rows: number): Verification {
  if (known.seq <= head.seq) return missingNoted(known, rows);
  const { seq } = known;
  const which = seq === head.seq + 1 ? `row ${seq} is` : `rows ${head.seq + 1} to ${seq} are`;
  const message = `${which} missing from its end: the database file or its -wal file was cut short, or an older backup was restored`;
  return { ok: false, rows, seq, message };
}
