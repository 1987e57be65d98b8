/** Reads what a database recorded about the calls of a run. */
import Libsql from "libsql";
import type { RecordedEntry, RecordedOutcome } from "./facts.ts";

/** Entries of allowed calls, and outcomes. */
export interface RecordedRows {
  readonly entries: RecordedEntry[];
  readonly outcomes: RecordedOutcome[];
}

const KEY = /"key":"([^"]+)"/;
const ENTRIES = `where kind = 'entry' and decision = 'allowed'`;

/**
 * Reads them from PostgreSQL, with the times of their commits.
 *
 * @param run runs a statement, and resolves with its rows as text
 */
export async function rowsInPostgres(run: (sql: string) => Promise<string>): Promise<RecordedRows> {
  const rows = await run(`select coalesce(json_agg(found), '[]') from (
    select seq, params, extract(epoch from pg_xact_commit_timestamp(xmin)) * 1000 as at from vitrine_audit ${ENTRIES}) found`);
  const ends = await run(`select coalesce(json_agg(found), '[]') from (
    select "of", outcome from vitrine_audit where kind = 'outcome') found`);
  const entries = (JSON.parse(rows) as { seq: number; params: string; at: number | null }[]).map(
    ({ seq, params, at }) => ({ seq, key: keyOf(params), committedAt: at ?? undefined }),
  );
  return { entries, outcomes: outcomesOf(entries, JSON.parse(ends)) };
}

/** Reads them from a SQLite file, whose gateway may be running. */
export function rowsInSqlite(file: string): RecordedRows {
  const db = new Libsql(file, { readonly: true });
  try {
    const rows = db.prepare(`select seq, params from vitrine_audit ${ENTRIES}`).all() as {
      seq: number;
      params: string;
    }[];
    const ends = db.prepare(`select "of", outcome from vitrine_audit where kind = 'outcome'`).all();
    const entries = rows.map(({ seq, params }) => ({ seq, key: keyOf(params) }));
    return { entries, outcomes: outcomesOf(entries, ends as RecordedOutcome[]) };
  } finally {
    db.close();
  }
}

/** Entries that are no calls of these tools have no key. */
const keyOf = (params: string | null): string | undefined => KEY.exec(params ?? "")?.[1];

const outcomesOf = (
  entries: readonly RecordedEntry[],
  outcomes: readonly RecordedOutcome[],
): RecordedOutcome[] => {
  const known = new Set(entries.map(({ seq }) => seq));
  return outcomes.filter(({ of }) => known.has(of));
};
