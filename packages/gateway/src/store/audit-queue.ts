/**
 * Rows that wait for their commit: entries, which callers wait for, and outcomes, which nobody waits for.
 *
 * @module
 */
import type { GatewayError } from "@vitrine/wire";
import type { RowFields } from "./row.js";

/** Maximum rows of a commit. */
const GROUP = 128;
/** Maximum entries of one user in a commit, while others have entries as well. */
const TURN = 16;
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

/** The waiting entries of a user. */
interface UserQueue {
  readonly rows: WaitingRow[];
  weight: number;
}

/**
 * The rows of all users. Users take turns, so that many entries of one user do not delay those of another; and a user can fill
 * three quarters of the queue at most.
 */
export class AuditQueue {
  readonly #limits: QueueLimits;
  /** Waiting entries by user. Users without any are not there; the next one is the first. */
  readonly #queues = new Map<string, UserQueue>();
  /** The entries of the next commit. */
  #next: WaitingRow[] = [];
  readonly #outcomes: WaitingRow[] = [];
  #entries = 0;
  #weight = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#entries + this.#outcomes.length;
  }

  get outcomes(): number {
    return this.#outcomes.length;
  }

  /**
   * Whether there is space for an entry of a user, who may have three times as much as is free, and always as much as a commit
   * holds. Outcomes are always accepted, because their entries were.
   */
  hasRoom(user: RowFields["user"], weight: number): boolean {
    const rows = this.#limits.waiting - this.size;
    const bytes = this.#limits.weight - this.#weight;
    const own = this.#queues.get(user ?? "");
    const isFair =
      !own ||
      ((own.rows.length < GROUP || own.rows.length <= 3 * rows) &&
        (own.weight + weight <= GROUP_WEIGHT || own.weight + weight <= 3 * bytes));
    return rows > 0 && weight <= bytes && isFair;
  }

  addEntry(row: WaitingRow): void {
    const user = row.fields.user ?? "";
    const queue = this.#queues.get(user) ?? { rows: [], weight: 0 };
    this.#queues.set(user, queue);
    queue.rows.push(row);
    queue.weight += row.weight;
    this.#entries++;
    this.#weight += row.weight;
  }

  addOutcome(row: WaitingRow): void {
    this.#outcomes.push(row);
    this.#weight += row.weight;
  }

  /**
   * The rows of the next commit. They stay in the queue. Outcomes and entries share it: callers wait for entries, and outcomes must
   * keep pace with them.
   */
  group(): Group {
    // A commit is repeated if the database was locked: then these entries are chosen already.
    if (this.#next.length === 0) this.#choose();
    const entries = this.#next;
    const most = entries.length > 0 ? Math.max(TURN, entries.length) : GROUP;
    let weight = entries.reduce((sum, row) => sum + row.weight, 0);
    const outcomes: WaitingRow[] = [];
    for (const row of this.#outcomes) {
      weight += row.weight;
      if (outcomes.length > 0 && (outcomes.length >= most || weight > GROUP_WEIGHT)) break;
      outcomes.push(row);
    }
    return { outcomes, entries };
  }

  /**
   * Moves entries into the next commit, one of each user in turn. A commit takes time for each of its rows, so with several users
   * it has few rows of each.
   */
  #choose(): void {
    const part = this.#outcomes.length > 0 ? 2 : 1;
    const each = this.#queues.size > 1 ? TURN : GROUP;
    const counts = new Map<string, number>();
    let weight = 0;
    for (const [user, queue] of this.#queues) {
      const count = counts.get(user) ?? 0;
      const [row] = queue.rows;
      if (!row || count >= each) continue;
      weight += row.weight;
      if (this.#next.length > 0 && (this.#next.length >= GROUP / part || weight > GROUP_WEIGHT / part))
        return;
      counts.set(user, count + 1);
      queue.rows.shift();
      queue.weight -= row.weight;
      this.#next.push(row);
      // To the end: the others get their turn first.
      this.#queues.delete(user);
      if (queue.rows.length > 0) this.#queues.set(user, queue);
    }
  }

  /** Removes the oldest outcomes, which are on disk. */
  dropOutcomes(count: number): void {
    for (const { weight } of this.#outcomes.splice(0, count)) this.#weight -= weight;
  }

  /** Resolves the entries of the last group, which are on disk, numbered from `seq`. */
  resolveEntries(seq: number): void {
    const written = this.#next;
    this.#next = [];
    this.#entries -= written.length;
    for (const { weight, resolve } of written) {
      this.#weight -= weight;
      resolve?.(seq++);
    }
  }

  /** Rejects the entries that another node may write now: those in the next commit; later ones have their own. */
  rejectNext(isRefused: (row: WaitingRow) => boolean, error: GatewayError): void {
    const refused = this.#next.filter(isRefused);
    this.#next = this.#next.filter((row) => !isRefused(row));
    this.#entries -= refused.length;
    for (const { weight, reject } of refused) {
      this.#weight -= weight;
      reject?.(error);
    }
  }

  /** Rejects all entries. Returns their number. */
  rejectEntries(error: GatewayError): number {
    const rejected = [...this.#next, ...[...this.#queues.values()].flatMap(({ rows }) => rows)];
    this.#next = [];
    this.#queues.clear();
    this.#entries = 0;
    for (const { weight, reject } of rejected) {
      this.#weight -= weight;
      reject?.(error);
    }
    return rejected.length;
  }
}
