/**
 * Removes old rows of the audit log. In this order, so that a crash at any point loses nothing: the rows are
 * written to the archive, held rows are copied, a mark is written, and the rows are removed.
 *
 * @module
 */
import { messageOf } from "@vitrine/servers/support";
import { GatewayError } from "@vitrine/wire";
import { type ArchiveManifest, listArchive, storeArchive } from "./archive.js";
import { readFirstSeq, readPages, readRow } from "./audit-reader.js";
import { PRUNE_MARK } from "./chain-check.js";
import { slotOf } from "./chains.js";
import { ask, change, type QueryEngine } from "./engine.js";
import { rowLine } from "./export.js";
import { copyHeld, type HeldLog, heldDigest, holdLate, releaseHeld } from "./held-rows.js";
import { againstNewHolds, isNoOther } from "./holds.js";
import type { LegalHold } from "./legal-holds.js";
import { rest } from "./pace.js";
import type { AuditHead, PruneOptions } from "./store.js";

/** Rows of an archive file. */
const FILE_ROWS = 100_000;
/** Rows that a statement looks at. */
const LOOKED_AT = 1000;
/** Rows that a statement removes: it takes about a millisecond. */
const REMOVED_AT_ONCE = 50;

/** Removes rows older than `before`, from the oldest on. Returns their number. */
export async function pruneLog(log: HeldLog, before: number, { archive }: PruneOptions): Promise<number> {
  const { engine, writer, genesis } = log;
  await writer.settle();
  // Not the marks that are written here, whatever the clock says.
  const newest = writer.head.seq;
  await releaseHeld(log);
  let removed = 0;
  for (;;) {
    const first = await readFirstSeq(engine, slotOf(newest));
    if (first === undefined) return removed;
    const through = await lastToRemove(log, { first, newest, before, archive });
    if (through < first) return removed;
    const last = await readRow(engine, through);
    if (!last)
      throw new GatewayError("audit-failed", `row ${through} of the audit log is missing: verify it first`);
    if (writer.brokenBy !== undefined) throw new GatewayError("audit-failed", writer.brokenBy);
    const after = await log.start();
    const file = archive === undefined ? undefined : await archiveRows(engine, archive, after, first, last);
    const start = after.seq === first - 1 ? after : undefined;
    const holds = await copyHeldOf(log, start, { first, last: through });
    const held = await heldDigest(engine, { genesis, through });
    const rows = through - first + 1;
    const params = JSON.stringify({
      removed: rows,
      through,
      hash: last.hash,
      before,
      ...(file && { archive: file }),
      ...(held.rows > 0 && { held }),
    });
    await writer.write({ kind: "mark", actor: "operator", method: PRUNE_MARK, params });
    await removeRows(log, through, holds);
    removed += rows;
  }
}

/** Copies held rows, and repeats that if another hold was added meanwhile. Resolves with the holds. */
async function copyHeldOf(
  { engine, holds }: HeldLog,
  start: AuditHead | undefined,
  range: { first: number; last: number },
): Promise<readonly LegalHold[]> {
  for (let known = ""; ; ) {
    const list = await holds.list();
    const text = JSON.stringify(list);
    if (text === known) return list;
    await copyHeld(engine, start, range, list);
    known = text;
  }
}

/** The last row that may be removed with the first one: they are old, and none waits for its outcome. */
async function lastToRemove(
  { engine, writer }: HeldLog,
  {
    first,
    newest,
    before,
    archive,
  }: { first: number; newest: number; before: number; archive: string | undefined },
): Promise<number> {
  const stored =
    archive === undefined ? undefined : (await readArchiveOf(archive)).find((file) => file.first === first);
  const most = Math.min(newest, writer.oldestOpen - 1);
  const end = archive === undefined ? most : Math.min(most, stored?.last ?? first + FILE_ROWS - 1);
  let through = first - 1;
  while (through < end) {
    const since = performance.now();
    const to = Math.min(through + LOOKED_AT, end);
    const kept = await ask(engine, (db) =>
      db
        .selectFrom("vitrine_audit")
        .select("seq")
        .where("seq", ">", through)
        .where("seq", "<=", to)
        .where("time", ">=", Math.ceil(before))
        .orderBy("seq")
        .limit(1)
        .executeTakeFirst(),
    );
    through = kept ? kept.seq - 1 : to;
    if (kept) break;
    await rest(engine, since);
  }
  // An interrupted run has stored more rows: they are removed together, once all of them are old.
  return stored && through < stored.last ? first - 1 : through;
}

const readArchiveOf = (folder: string) =>
  listArchive(folder).catch((cause: unknown) => {
    const message = `the archive ${folder} of the audit log cannot be read, so no row is removed: ${messageOf(cause)}`;
    throw new GatewayError("audit-failed", message, { cause });
  });

async function archiveRows(
  engine: QueryEngine,
  folder: string,
  { seq, hash }: AuditHead,
  first: number,
  last: AuditHead & { time: number },
): Promise<{ name: string; sha256: string }> {
  const oldest = await readRow(engine, first);
  if (!oldest)
    throw new GatewayError("audit-failed", `row ${first} of the audit log is missing: verify it first`);
  const manifest: ArchiveManifest = {
    format: "vitrine-audit",
    version: 1,
    after: { seq, hash },
    first: { seq: first, hash: oldest.hash },
    last: { seq: last.seq, hash: last.hash },
    from: oldest.time,
    to: last.time,
  };
  return storeArchive(folder, manifest, linesOf(engine, first, last));
}

async function* linesOf(engine: QueryEngine, first: number, last: AuditHead): AsyncGenerator<string> {
  for await (const page of readPages(engine, last, { after: first - 1 })) yield* page.map(rowLine);
}

/**
 * Removes rows whose removal is marked in the log, from the oldest on, in batches, so that others can write in between.
 *
 * @param holds the holds whose rows were copied. A batch is removed only if there is no other hold: one that was added
 * meanwhile, by any process, keeps the rows that are still there
 */
export async function removeRows(
  log: HeldLog,
  through: number,
  holds: readonly LegalHold[] = [],
): Promise<void> {
  const { engine } = log;
  for (let known = holds; ; ) {
    const since = performance.now();
    const first = await readFirstSeq(engine, slotOf(through));
    if (first === undefined || first > through) return;
    const last = Math.min(through, first + REMOVED_AT_ONCE - 1);
    const removed = await change(engine, (db) => [
      ...againstNewHolds(db, engine.kind),
      ...(["vitrine_audit", "vitrine_results"] as const).map((table) =>
        db.deleteFrom(table).where("seq", ">=", first).where("seq", "<=", last).where(isNoOther(known)),
      ),
    ]);
    if (removed === 0) known = await holdLate(log, { first, last: through });
    await rest(engine, since);
  }
}
