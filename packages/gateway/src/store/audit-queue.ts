/**
 * What waits for its commit: entries, for which somebody waits, and outcomes, for which nobody does.
 *
 * @module
 */
import type { GatewayError } from "@vitrine/wire";
import type { RowFields } from "./row.js";

/** Rows of one commit, at most. */
const GROUP = 128;
/** Bytes of one commit, about; a larger row goes alone. */
const GROUP_WEIGHT = 4_000_000;

/** Bounds of what waits in memory. */
export interface QueueLimits {
  /** Rows that wait for their commit: with more, new entries are refused. */
  waiting: number;
  /** Bytes of them, about. */
  weight: number;
}

/** A row that has no number yet. */
export interface Waiting {
  readonly fields: RowFields;
  readonly time: number;
  readonly weight: number;
  readonly resolve?: (seq: number) => void;
  readonly reject?: (error: Error) => void;
}

/** What goes into one commit. */
export interface Group {
  readonly outcomes: readonly Waiting[];
  readonly entries: readonly Waiting[];
}

export class AuditQueue {
  readonly #limits: QueueLimits;
  readonly #entries: Waiting[] = [];
  readonly #outcomes: Waiting[] = [];
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

  /** Whether there is room for an entry. Outcomes always find room: they are of entries that had it. */
  hasRoom(weight: number): boolean {
    return this.size < this.#limits.waiting && this.#weight + weight <= this.#limits.weight;
  }

  addEntry(row: Waiting): void {
    this.#entries.push(row);
    this.#weight += row.weight;
  }

  addOutcome(row: Waiting): void {
    this.#outcomes.push(row);
    this.#weight += row.weight;
  }

  /** What goes into the next commit: outcomes first, so that they never wait for the entries of others. It stays here. */
  group(): Group {
    let count = 0;
    let weight = 0;
    const take = (rows: readonly Waiting[]): Waiting[] => {
      const taken: Waiting[] = [];
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

  /** The oldest outcomes are on disk. */
  dropOutcomes(count: number): void {
    for (const { weight } of this.#outcomes.splice(0, count)) this.#weight -= weight;
  }

  /** The oldest entries are on disk, from number `seq` on. */
  resolveEntries(count: number, seq: number): void {
    for (const { weight, resolve } of this.#entries.splice(0, count)) {
      this.#weight -= weight;
      resolve?.(seq++);
    }
  }

  /** Nobody's entry will be written. Returns how many they were. */
  rejectEntries(error: GatewayError): number {
    const rejected = this.#entries.splice(0);
    for (const { weight, reject } of rejected) {
      this.#weight -= weight;
      reject?.(error);
    }
    return rejected.length;
  }
}
