/**
 * Verifies chains of the audit log: the archive files of each, its rows in the database, which continue them, and the rows
 * that legal holds keep.
 *
 * @module
 */
import { readdir } from "node:fs/promises";
import { recordOf } from "@vitrine/protocol";
import { type RawBuilder, sql } from "kysely";
import { archiveOf, slotOfFolder } from "./archive.js";
import { checkChain, hasRow, missingRow } from "./audit-check.js";
import { readHead, readMark, readPages } from "./audit-reader.js";
import { ANCHOR_MARK, PRUNE_MARK, readHeads } from "./chain-check.js";
import { FIRST_SLOT, ROWS_OF_SLOT, slotOf, startOf } from "./chains.js";
import { ask, type QueryEngine, wait } from "./engine.js";
import { missingNoted } from "./export.js";
import { verifyHeld } from "./held-rows.js";
import type { AuditHead, Verification } from "./store.js";
import { archiveIn, type CheckedArchive, checkArchive, wrongFile } from "./verify-archive.js";

/** Attempts for a chain that another node may be pruning, and milliseconds between them. */
const ATTEMPTS = { most: 4, pause: 1000 };

/** Options of {@link verifyChain}. */
export interface VerifiedChain {
  /** Rows that must exist. */
  readonly noted?: readonly (AuditHead | undefined)[] | undefined;
  /** The folder with the archives of all slots. */
  readonly archive?: string | undefined;
}

/** Verifies one chain, up to its head. */
export async function verifyChain(
  engine: QueryEngine,
  head: AuditHead,
  { noted = [], archive }: VerifiedChain,
): Promise<Verification> {
  const slot = slotOf(head.seq);
  const archived =
    archive === undefined ? undefined : await checkFiles(engine, head, archiveOf(archive, slot));
  if (archived && !archived.result.ok) return archived.result;
  const check = await checkChain(engine, head, Number.POSITIVE_INFINITY, archived?.check);
  const result = check.result();
  if (!result.ok) return result;
  for (const known of [head, ...noted])
    if (known && !(await hasRow(engine, known))) return missingRow(known, head, result.rows);
  return (await verifyHeld({ engine, genesis: startOf(slot) }, result.rows)) ?? result;
}

/**
 * Verifies chains that other processes may be writing, and that every head in the last anchor of each still exists.
 *
 * @param but the slot of this process, which it verifies itself
 */
export async function verifyOthers(
  engine: QueryEngine,
  archive: string | undefined,
  but?: number,
): Promise<Verification> {
  const slots = await readSlots(engine, archive);
  let [rows, hash] = [0, startOf(FIRST_SLOT).hash];
  for (const slot of slots) {
    if (slot === but) continue;
    const result = await verifyMoving(engine, slot, archive);
    rows += result.rows;
    if (!result.ok) return { ...result, rows };
    hash = result.head;
  }
  for (const slot of slots)
    for (const known of readHeads(await readMark(engine, slot, ANCHOR_MARK)))
      if (!(await hasRow(engine, known))) return missingNoted(known, rows);
  return { ok: true, rows, head: hash };
}

/** Its node may remove rows while they are verified: then a second look finds it intact. */
async function verifyMoving(
  engine: QueryEngine,
  slot: number,
  archive: string | undefined,
): Promise<Verification> {
  for (let attempt = 1; ; attempt++) {
    const result = await verifyChain(engine, await readHead(engine, slot), { archive });
    if (result.ok || attempt === ATTEMPTS.most) return result;
    await wait(ATTEMPTS.pause);
  }
}

/** Every slot that has or had a node, has rows, or has an archive. */
export async function readSlots(engine: QueryEngine, archive?: string): Promise<number[]> {
  const slots = new Set([FIRST_SLOT]);
  const nodes = await ask(engine, (db) => db.selectFrom("vitrine_nodes").select("slot").execute());
  for (const { slot } of nodes) slots.add(slot);
  const { rows } = await ask(engine, (db) => sql<{ slot: number }>`${slotsInLog()}`.execute(db));
  for (const { slot } of rows) slots.add(Number(slot));
  if (archive !== undefined) for (const slot of await archivedSlots(archive)) slots.add(slot);
  return [...slots].sort((a, b) => a - b);
}

/** The slots that have an archive in a folder. */
export async function archivedSlots(archive: string): Promise<number[]> {
  const names = await readdir(archive).catch((error: unknown) => {
    if (recordOf(error)["code"] === "ENOENT") return [];
    throw error;
  });
  return names.flatMap((name) => slotOfFolder(name) ?? []).sort((a, b) => a - b);
}

/** A query for the slots of all rows in the log, which reads one row of each. */
export function slotsInLog(): RawBuilder<unknown> {
  const size = sql.lit(ROWS_OF_SLOT);
  const next = (from: RawBuilder<unknown>): RawBuilder<unknown> =>
    sql`(select seq / ${size} from vitrine_audit where seq >= ${from} order by seq limit 1)`;
  return sql`with recursive slots (slot) as (
      select ${next(sql`0`)} union all select ${next(sql`(slot + 1) * ${size}`)} from slots where slot is not null
    ) select slot from slots where slot is not null`;
}

/** Breaks in the files may be accepted by rows of the database, so they are not reported here. */
async function checkFiles(engine: QueryEngine, head: AuditHead, folder: string): Promise<CheckedArchive> {
  const archived = await checkArchive(folder, startOf(slotOf(head.seq)));
  const { check, hashes } = archived;
  const marks: [string, string][] = [];
  for await (const page of readPages(engine, head, { method: PRUNE_MARK }))
    marks.push(...page.flatMap(archiveIn));
  const isLater = check.head.seq > head.seq;
  const later = isLater ? missingRow(check.head, head, check.result().rows) : undefined;
  const damaged = archived.result.ok || check.breaks().length > 0 ? undefined : archived.result;
  const result = damaged ?? later ?? wrongFile(marks, hashes, check);
  return { ...archived, result: result ?? { ok: true, rows: 0, head: check.head.hash } };
}
