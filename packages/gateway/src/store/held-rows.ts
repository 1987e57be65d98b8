/**
 * Rows that were removed from the audit log while a legal hold kept them. Each has the hash of the row before
 * it, so its own hash can be checked; the newest mark about removals has a digest of all of them.
 *
 * @module
 */
import { recordOf } from "@vitrine/protocol";
import { readMark } from "./audit-reader.js";
import type { AuditWriter } from "./audit-writer.js";
import { PRUNE_MARK, prunedThrough } from "./chain-check.js";
import { slotOf } from "./chains.js";
import { ask, change, type QueryEngine } from "./engine.js";
import { readLine, rowLine } from "./export.js";
import { againstNewHolds, isHeldRow, isNoOther } from "./holds.js";
import type { HoldScope, LegalHold, LegalHolds } from "./legal-holds.js";
import { rest } from "./pace.js";
import type { StoredHeldRow } from "./retention-tables.js";
import { GENESIS, rowHash, type StoredRow, sha256 } from "./row.js";
import type { AuditHead, Verification } from "./store.js";

/** Marks that rows were deleted because no hold keeps them any more. */
export const RELEASE_MARK = "audit/release";

const PAGE = 100;

/** Marks that a hold, which was added while rows were being removed or deleted, keeps more of them. */
export const HELD_MARK = "audit/held";

/**
 * Copies the rows of a range that a hold keeps. Repeating it has no effect.
 *
 * @param isLate whether the mark of their removal is in the log already
 * @returns the number of new copies
 */
export async function copyHeld(
  engine: QueryEngine,
  start: AuditHead | undefined,
  range: { first: number; last: number },
  holds: readonly HoldScope[],
  isLate = false,
): Promise<number> {
  let copied = 0;
  if (holds.length === 0) return copied;
  for (let low = range.first; low <= range.last; low += PAGE) {
    const since = performance.now();
    const high = Math.min(low + PAGE - 1, range.last);
    const rows = await ask(engine, (db) =>
      db
        .selectFrom("vitrine_audit")
        .selectAll()
        .where("seq", ">=", low)
        .where("seq", "<=", high)
        .where(isHeldRow(holds))
        .orderBy("seq")
        .execute(),
    );
    if (rows.length > 0) {
      const before = await ask(engine, (db) =>
        db
          .selectFrom("vitrine_audit")
          .select(["seq", "hash"])
          .where(
            "seq",
            "in",
            rows.map(({ seq }) => seq - 1),
          )
          .execute(),
      );
      const hashes = new Map([...(start ? [start] : []), ...before].map(({ seq, hash }) => [seq, hash]));
      const late = isLate ? 1 : 0;
      const copies = rows.map((row) => ({ ...copyOf(row, hashes.get(row.seq - 1) ?? ""), late }));
      copied += await change(engine, (db) =>
        db
          .insertInto("vitrine_held")
          .values(copies)
          .onConflict((conflict) => conflict.column("seq").doNothing()),
      );
    }
    await rest(engine, since);
  }
  return copied;
}

const copyOf = (row: StoredRow, previous: string): Omit<StoredHeldRow, "late"> => ({
  seq: row.seq,
  time: row.time,
  user: row.user,
  server: row.server,
  previous,
  hash: row.hash,
  line: rowLine(row),
});

/** A digest of held rows, in a mark of the log. */
export interface HeldDigest {
  readonly rows: number;
  readonly digest: string;
}

/** The chain of the log whose held rows are meant: rows after `genesis`, up to the last removed one. */
interface HeldRange {
  readonly genesis: AuditHead;
  readonly through: number;
  /** Whether late copies count, whose mark is not known to be in the log. */
  readonly withLate?: boolean;
}

/** Held rows in order, in pages. */
async function* pagesOf(
  engine: QueryEngine,
  { genesis, through, withLate = false }: HeldRange,
  holds?: readonly HoldScope[],
): AsyncGenerator<StoredHeldRow[]> {
  for (let after = genesis.seq; ; ) {
    const since = performance.now();
    const page = await ask(engine, (db) => {
      const rows = db
        .selectFrom("vitrine_held")
        .selectAll()
        .where("seq", ">", after)
        .where("seq", "<=", through)
        .where("late", "<=", withLate ? 1 : 0);
      return (holds ? rows.where(isHeldRow(holds)) : rows).orderBy("seq").limit(PAGE).execute();
    });
    const last = page.at(-1);
    if (!last) return;
    yield page;
    after = last.seq;
    await rest(engine, since);
  }
}

/** The digest of all held rows, or of those that some holds keep. */
export async function heldDigest(
  engine: QueryEngine,
  range: HeldRange,
  holds?: readonly HoldScope[],
): Promise<HeldDigest> {
  let [rows, digest] = [0, GENESIS.hash];
  for await (const page of pagesOf(engine, range, holds)) {
    for (const { previous, line } of page) digest = sha256(digest + previous + line);
    rows += page.length;
  }
  return { rows, digest };
}

/** The log whose held rows are released or verified. */
export interface HeldLog {
  readonly engine: QueryEngine;
  readonly writer: AuditWriter;
  readonly holds: Pick<LegalHolds, "list">;
  /** The head before the first row of the chain. */
  readonly genesis: AuditHead;
  /** The last row that was removed, or {@link genesis}. */
  start(): Promise<AuditHead>;
}

/**
 * Deletes held rows that no hold keeps any more, after a mark that says so; and copies of rows that are still
 * in the log, which an interrupted run has left. A hold that is added meanwhile, by any process, keeps the rows that are
 * still there, and another mark says so.
 */
export async function releaseHeld(log: HeldLog): Promise<void> {
  const { engine, writer, genesis } = log;
  await settleLate(log);
  const through = (await log.start()).seq;
  await change(engine, (db) =>
    db.deleteFrom("vitrine_held").where("seq", ">", through).where("seq", "<=", writer.head.seq),
  );
  const range = { genesis, through };
  for (let isDone = false; !isDone; ) {
    const holds = await log.holds.list();
    const all = await heldDigest(engine, range);
    if (all.rows === 0) return;
    const held = await heldDigest(engine, range, holds);
    if (held.rows === all.rows) {
      if (await isReleaseStopped(log, all))
        await writer.write({ ...mark, method: HELD_MARK, params: JSON.stringify({ held }) });
      return;
    }
    const params = JSON.stringify({ released: all.rows - held.rows, held });
    await writer.write({ ...mark, method: RELEASE_MARK, params });
    isDone = await deleteReleased(engine, range, holds);
  }
}

const mark = { kind: "mark", actor: "operator" } as const;

/** Whether rows are left that the newest mark calls deleted: a hold that was added since keeps them. */
async function isReleaseStopped({ engine, genesis }: HeldLog, { rows }: HeldDigest): Promise<boolean> {
  const { newest } = await readHeldMark(engine, genesis);
  return newest?.method === RELEASE_MARK && rows > (digestIn(newest)?.rows ?? 0);
}

/** Deletes what these holds do not keep. Resolves with false if there is another hold now: it keeps the rest. */
async function deleteReleased(
  engine: QueryEngine,
  { genesis, through }: HeldRange,
  holds: readonly LegalHold[],
): Promise<boolean> {
  for (let after = genesis.seq; ; ) {
    const since = performance.now();
    const page = await ask(engine, (db) =>
      db
        .selectFrom("vitrine_held")
        .select("seq")
        .where("seq", ">", after)
        .where("seq", "<=", through)
        .where("late", "=", 0)
        .where(({ not }) => not(isHeldRow(holds)))
        .orderBy("seq")
        .limit(PAGE)
        .execute(),
    );
    const seqs = page.map(({ seq }) => seq);
    const last = seqs.at(-1);
    if (last === undefined) return true;
    const deleted = await change(engine, (db) => [
      ...againstNewHolds(db, engine.kind),
      db.deleteFrom("vitrine_held").where("seq", "in", seqs).where(isNoOther(holds)),
    ]);
    if (deleted < seqs.length) return false;
    after = last;
    await rest(engine, since);
  }
}

/**
 * Keeps rows whose removal has begun, for holds that were added since. Resolves with the holds for which that is done.
 */
export async function holdLate(
  log: HeldLog,
  range: { first: number; last: number },
): Promise<readonly LegalHold[]> {
  const { engine, writer, genesis } = log;
  const holds = await log.holds.list();
  if ((await copyHeld(engine, undefined, range, holds, true)) === 0) return holds;
  const held = await heldDigest(engine, { genesis, through: range.last, withLate: true });
  await writer.write({ ...mark, method: HELD_MARK, params: JSON.stringify({ held }) });
  await confirmLate(log, range.last);
  return holds;
}

/** After an interruption: late copies count if the log has their mark; otherwise they are made again. */
export async function settleLate(log: HeldLog): Promise<void> {
  const { engine, genesis } = log;
  const through = (await log.start()).seq;
  const found = await heldDigest(engine, { genesis, through, withLate: true });
  if (found.rows === 0) return;
  const expected = digestIn((await readHeldMark(engine, genesis)).newest);
  if (isSame(found, expected)) await confirmLate(log, through);
  else
    await change(engine, (db) =>
      db
        .deleteFrom("vitrine_held")
        .where("late", "=", 1)
        .where("seq", ">", genesis.seq)
        .where("seq", "<=", through),
    );
}

const confirmLate = ({ engine, genesis }: HeldLog, through: number): Promise<number> =>
  change(engine, (db) =>
    db
      .updateTable("vitrine_held")
      .set({ late: 0 })
      .where("late", "=", 1)
      .where("seq", ">", genesis.seq)
      .where("seq", "<=", through),
  );

/** The newest mark with a digest of held rows, and the newest one about a removal. */
async function readHeldMark(engine: QueryEngine, { seq }: AuditHead) {
  const marks = await Promise.all(
    [PRUNE_MARK, RELEASE_MARK, HELD_MARK].map((method) => readMark(engine, slotOf(seq), method)),
  );
  const newest = marks.reduce((a, b) => ((b?.seq ?? 0) > (a?.seq ?? 0) ? b : a), undefined);
  return { newest, pruned: marks[0] };
}

/** Verifies the held rows of a chain; undefined if they are intact. */
export async function verifyHeld(
  { engine, genesis }: Pick<HeldLog, "engine" | "genesis">,
  rows: number,
): Promise<Verification | undefined> {
  const { newest, pruned } = await readHeldMark(engine, genesis);
  const expected = digestIn(newest) ?? { rows: 0, digest: GENESIS.hash };
  const through = prunedThrough(pruned)?.seq ?? genesis.seq;
  for await (const page of pagesOf(engine, { genesis, through })) {
    for (const row of page) {
      const text = readLine(row.line);
      const isIntact =
        text?.seq === row.seq &&
        text.hash === row.hash &&
        text.time === row.time &&
        (text.user ?? null) === row.user &&
        (text.server ?? null) === row.server &&
        (row.previous === "" || rowHash(row.previous, text) === row.hash);
      if (!isIntact) return broken(row.seq, rows, `row ${row.seq}, which a legal hold keeps, was changed`);
    }
  }
  const found = await heldDigest(engine, { genesis, through });
  if (isSame(found, expected)) return undefined;
  if (isSame(await heldDigest(engine, { genesis, through, withLate: true }), expected)) return undefined;
  const message = `the ${expected.rows} rows that legal holds keep were changed: there are ${found.rows}`;
  return broken(newest?.seq ?? through, rows, message);
}

const isSame = (found: HeldDigest, expected: HeldDigest | undefined): boolean =>
  found.rows === (expected?.rows ?? 0) && (found.rows === 0 || found.digest === expected?.digest);

const broken = (seq: number, rows: number, message: string): Verification => ({
  ok: false,
  rows,
  seq,
  message,
});

function digestIn(mark: StoredRow | undefined): HeldDigest | undefined {
  try {
    const { rows, digest } = recordOf(recordOf(JSON.parse(mark?.params ?? "null"))["held"]);
    return typeof rows === "number" && typeof digest === "string" ? { rows, digest } : undefined;
  } catch {
    return undefined;
  }
}
