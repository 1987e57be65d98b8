/**
 * Rows that wait for their commit: entries, which callers wait for, and outcomes, which nobody waits for.
 *
 * @module
 */
import type { GatewayError } from "@vitrine/wire";
import type { RowFields } from "./row.js";

/** Maximum rows of a commit. */
const GROUP = 128;
/** Approximate maximum bytes of a commit; a larger row is committed alone. */
const GROUP_WEIGHT = 4_000_000;

/** Limits of the queue. */
export interface QueueLimits {
  /** Maximum queued rows: beyond it, new entries are refused. */
  waiting: number;
  /** Approximate maximum of their bytes. */
  weight: number;
}

/** A row without a number yet. */
export interface WaitingRow {
  readonly fields: RowFields;
  readonly time: number;
  readonly weight: number;
  readonly resolve?: (seq: number) => void;
  readonly reject?: (error: Error) => void;
}

/** The rows of a commit. */
export interface Group {
  readonly outcomes: readonly WaitingRow[];
  readonly entries: readonly WaitingRow[];
}

export class AuditQueue {
  readonly #limits: QueueLimits;
  readonly #entries: WaitingRow[] = [];
  readonly #outcomes: WaitingRow[] = [];
  #weight = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#entries.length + this.#outcomes.length;
  }

  get outcomes(): number {
    return this.#outcomes.length;
  }

  /** Whether there is space for an entry. Outcomes are always accepted, because their entries were. */
  hasRoom(weight: number): boolean {
    return this.size < this.#limits.waiting && this.#weight + weight <= this.#limits.weight;
  }

  addEntry(row: WaitingRow): void {
    this.#entries.push(row);
    this.#weight += row.weight;
  }

  addOutcome(row: WaitingRow): void {
    this.#outcomes.push(row);
    this.#weight += row.weight;
  }

  /**
   * The rows of the next commit: outcomes first, so that they never wait for entries. They stay in the queue.
   */
  group(): Group {
    let count = 0;
    let weight = 0;
    const take = (rows: readonly WaitingRow[]): WaitingRow[] => {
      const taken: WaitingRow[] = [];
      for (const row of rows) {
        if (count > 0 && (count >= GROUP || weight + row.weight > GROUP_WEIGHT)) break;
        count++;
        weight += row.weight;
        taken.push(row);
      }
      return taken;
    };
    const outcomes = take(this.#outcomes);
    return { outcomes, entries: outcomes.length < this.#outcomes.length ? [] : take(this.#entries) };
  }

  /** Removes the oldest outcomes, which are on disk. */
  dropOutcomes(count: number): void {
    for (const { weight } of this.#outcomes.splice(0, count)) this.#weight -= weight;
  }

  /** Resolves the oldest entries, which are on disk, numbered from `seq`. */
  resolveEntries(count: number, seq: number): void {
    for (const { weight, resolve } of this.#entries.splice(0, count)) {
      this.#weight -= weight;
      resolve?.(seq++);
    }
  }

  /** Rejects all entries. Returns their number. */
  rejectEntries(error: GatewayError): number {
    const rejected = this.#entries.splice(0);
    for (const { weight, reject } of rejected) {
      this.#weight -= weight;
      reject?.(error);
    }
    return rejected.length;
  }
}
