/**
 * Checks the chain of an audit log, row by row, wherever the rows come from.
 *
 * @module
 */
import { recordOf } from "@vitrine/protocol";
import { GENESIS, type RowFields, rowHash } from "./row.js";
import type { AuditHead, Verification } from "./store.js";

/** Rows were removed because they were old: the mark says up to which, and with which hash the chain goes on. */
export const PRUNE_MARK = "audit/prune";
/** Breaks were looked into, and accepted. */
export const ACCEPT_MARK = "audit/accept";

/** Where the chain does not hold. */
export interface Break {
  seq: number;
  /** The hash that the row should have, from what it says and the row before it: another change has another one. */
  expected: string;
  message: string;
}

/** A row that can be checked. */
export type CheckedRow = RowFields & AuditHead;

export class ChainCheck {
  readonly #breaks = new Map<number, Break>();
  #head: AuditHead;
  #rows = 0;

  /** @param start the row before the first one; it is trusted */
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
      const message = `row ${row.seq}, or the hash of the one before it, is not what was written`;
      this.#breaks.set(row.seq, { seq: row.seq, expected, message });
    }
    if (row.kind === "mark" && row.method === ACCEPT_MARK) this.#accept(row);
    this.#head = { seq: row.seq, hash: row.hash };
    this.#rows++;
  }

  /** Goes on from a row that cannot be checked. */
  trust({ seq, hash }: AuditHead): void {
    this.#head = { seq, hash };
    this.#rows++;
  }

  /** Breaks that nobody accepted, the first one first. */
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

/** Where the chain starts after a {@link PRUNE_MARK}: the last row that was removed. */
export function prunedThrough(mark: RowFields | undefined): AuditHead | undefined {
  if (mark?.kind !== "mark" || mark.method !== PRUNE_MARK) return undefined;
  const { through, hash } = readParams(mark);
  return typeof through === "number" && typeof hash === "string" ? { seq: through, hash } : undefined;
}

/** Rows that are older than this were removed, if the mark is a {@link PRUNE_MARK}; 0 otherwise. */
export function prunedBefore(mark: RowFields | undefined): number {
  const before = mark?.method === PRUNE_MARK ? readParams(mark)["before"] : undefined;
  return typeof before === "number" ? before : 0;
}

/** What a mark says. It may have been changed: then it says nothing, and its hash shows it. */
function readParams({ params }: RowFields): Record<string, unknown> {
  try {
    return recordOf(JSON.parse(params ?? "null"));
  } catch {
    return {};
  }
}
