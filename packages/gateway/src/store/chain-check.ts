/**
 * Checks the hash chain of an audit log row by row, independent of the source of the rows.
 *
 * @module
 */
import { recordOf } from "@vitrine/protocol";
import { GENESIS, type RowFields, rowHash } from "./row.js";
import type { AuditHead, Verification } from "./store.js";

/** Marks that old rows were removed: up to which row, and the hash from which the chain continues. */
export const PRUNE_MARK = "audit/prune";
/** Marks that breaks were examined and accepted. */
export const ACCEPT_MARK = "audit/accept";
/** Marks the heads of all chains. Rows that are missing from the end of one are noticed by the others. */
export const ANCHOR_MARK = "audit/anchor";

/** A break of the chain. */
export interface Break {
  seq: number;
  /** The hash that the row should have, from its content and the previous row; it identifies the change. */
  expected: string;
  message: string;
}

/** A row that can be checked. */
export type CheckedRow = RowFields & AuditHead;

export class ChainCheck {
  readonly #breaks = new Map<number, Break>();
  #head: AuditHead;
  #rows = 0;

  /** @param start the row before the first one, which is trusted */
  constructor(start: AuditHead = GENESIS) {
    this.#head = start;
  }

  get head(): AuditHead {
    return this.#head;
  }

  add(row: CheckedRow): void {
    const { seq, hash } = this.#head;
    const expected = rowHash(hash, row);
    if (row.seq !== seq + 1) {
      const message =
        row.seq > seq + 1
          ? `rows ${seq + 1} to ${row.seq - 1} are missing`
          : `row ${row.seq} comes after row ${seq}`;
      this.#breaks.set(row.seq, { seq: row.seq, expected, message });
    } else if (row.hash !== expected) {
      const message = `row ${row.seq}, or the hash of the one before it, was changed`;
      this.#breaks.set(row.seq, { seq: row.seq, expected, message });
    }
    if (row.kind === "mark" && row.method === ACCEPT_MARK) this.#accept(row);
    this.#head = { seq: row.seq, hash: row.hash };
    this.#rows++;
  }

  /** Continues from a row that cannot be checked. */
  trust({ seq, hash }: AuditHead): void {
    this.#head = { seq, hash };
    this.#rows++;
  }

  /** Breaks that were not accepted, in order. */
  breaks(): Break[] {
    return [...this.#breaks.values()];
  }

  result(): Verification {
    const [first] = this.breaks();
    return first
      ? { ok: false, rows: this.#rows, seq: first.seq, message: first.message }
      : { ok: true, rows: this.#rows, head: this.#head.hash };
  }

  #accept(mark: CheckedRow): void {
    const accepted = readParams(mark)["breaks"];
    for (const entry of Array.isArray(accepted) ? accepted : []) {
      const { seq, expected } = recordOf(entry);
      if (typeof seq === "number" && this.#breaks.get(seq)?.expected === expected) this.#breaks.delete(seq);
    }
  }
}

/** The start of the chain after a {@link PRUNE_MARK}: the last removed row. */
export function prunedThrough(mark: RowFields | undefined): AuditHead | undefined {
  if (mark?.kind !== "mark" || mark.method !== PRUNE_MARK) return undefined;
  const { through, hash } = readParams(mark);
  return typeof through === "number" && typeof hash === "string" ? { seq: through, hash } : undefined;
}

/** The heads in a mark of the heads of all chains. */
export function readHeads(mark: RowFields | undefined): AuditHead[] {
  const heads = mark === undefined ? [] : readParams(mark)["heads"];
  return (Array.isArray(heads) ? heads : []).flatMap((entry) => {
    const { seq, hash } = recordOf(entry);
    return typeof seq === "number" && typeof hash === "string" ? [{ seq, hash }] : [];
  });
}

/** The time before which rows were removed, if the mark is a {@link PRUNE_MARK}; 0 otherwise. */
export function prunedBefore(mark: RowFields | undefined): number {
  const before = mark?.method === PRUNE_MARK ? readParams(mark)["before"] : undefined;
  return typeof before === "number" ? before : 0;
}

/**
 * The params of a mark. If they were changed and are unreadable, they count as empty; the hash shows the
 * change.
 */
function readParams({ params }: RowFields): Record<string, unknown> {
  try {
    return recordOf(JSON.parse(params ?? "null"));
  } catch {
    return {};
  }
}
