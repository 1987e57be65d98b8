/**
 * Writes the audit log: numbers and chains rows, commits them in groups, and recovers from failures.
 *
 * @module
 */

import { messageOf } from "@vitrine/servers/support";
import { GatewayError } from "@vitrine/wire";
import { AuditQueue, type QueueLimits, type WaitingRow } from "./audit-queue.js";
import { type DatabaseEngine, LOCK_TIMEOUT, ShardsMoved, wait } from "./engine.js";
import { noteCommit } from "./pace.js";
import { chainRow, type RowFields, rowWeight, type StoredRow } from "./row.js";
import { shardOfEntry } from "./shards.js";
import type { AuditHead, AuditOutcome, OnAlarm } from "./store.js";

/** Milliseconds that an outcome waits for others to be committed with. */
const LINGER = 20;
/** Milliseconds between attempts after a failure: at first, and at most. */
const RETRY = { first: 100, most: 1000 };

/** The members of an entry that its outcome repeats, so that a search finds both. */
type Subject = Pick<StoredRow, "user" | "actor" | "view" | "server" | "identity" | "method" | "target">;

/** A commit without an answer, with the number of outcomes among its rows. */
interface Doubt {
  readonly rows: readonly StoredRow[];
  readonly outcomes: number;
  /** Of the row that ends a failure: the number of refused rows that it reports. */
  readonly refused?: number;
}

/** `broken`: the chain was found broken, and this has not been accepted. */
type State = "ready" | "failed" | "broken" | "closed";

/** Options of the writer, apart from the database. */
export interface WriterOptions {
  now: () => number;
  onalarm: OnAlarm;
  oncommit?: ((seconds: number) => void) | undefined;
  /** Called with the last row on disk, whenever it changes. */
  onhead?: ((head: AuditHead) => void) | undefined;
  limits: QueueLimits;
  /** Reads the last row from the database. */
  readHead: () => Promise<AuditHead>;
  /** Called after the database was lost and regained. The writer waits until it resolves. */
  onregained?: (() => Promise<void>) | undefined;
}

export class AuditWriter {
  readonly #engine: DatabaseEngine;
  readonly #options: WriterOptions;
  readonly #queue: AuditQueue;
  #state: State = "ready";
  #problem = "";
  #head: AuditHead;
  /** Entries that may still get an outcome. */
  readonly #open = new Map<number, Subject>();
  /**
   * Commits without an answer: either all rows of one were written, or none. They stay until a later row is on disk:
   * a commit can be invisible while its database restarts, and appear afterwards.
   */
  #inDoubt: readonly Doubt[] = [];
  #scheduled = false;
  #isWriting = false;
  #writing: Promise<void> | undefined;
  #linger: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;
  #recovering: Promise<void> | undefined;
  /** Failures since the last successful write. */
  #failures = 0;
  #refused = 0;
  #flushed: (() => void)[] = [];

  constructor(engine: DatabaseEngine, head: AuditHead, options: WriterOptions) {
    this.#engine = engine;
    this.#head = head;
    this.#options = options;
    this.#queue = new AuditQueue(options.limits);
    engine.onlost = (error) => {
      // A running commit fails by itself, and its rows are in doubt.
      if (this.#state === "ready" && !this.#isWriting) this.#fail(error);
    };
  }

  get head(): AuditHead {
    return this.#head;
  }

  get healthy(): boolean {
    return this.#state === "ready";
  }

  /** Rows that are not on disk yet. */
  get waiting(): number {
    return this.#queue.size;
  }

  /** The problem of the chain, until it is accepted. */
  get brokenBy(): string | undefined {
    return this.#state === "broken" ? this.#problem : undefined;
  }

  /** The oldest entry that may still get an outcome. */
  get oldestOpen(): number {
    let oldest = Number.POSITIVE_INFINITY;
    for (const seq of this.#open.keys()) oldest = Math.min(oldest, seq);
    return oldest;
  }

  /** Whether every entry on disk has its outcome there. */
  get isSettled(): boolean {
    return this.#open.size === 0 && this.#queue.outcomes === 0 && this.#inDoubt.length === 0;
  }

  /** Writes a row, and resolves with its number when it is on disk. */
  write(fields: RowFields): Promise<number> {
    const weight = rowWeight(fields);
    const refusal = this.#refusal(fields.user, weight);
    if (refusal) {
      this.#refused++;
      return Promise.reject(refusal);
    }
    return new Promise((resolve, reject) => {
      this.#queue.addEntry({ fields, time: this.#options.now(), weight, resolve, reject });
      this.#schedule();
    });
  }

  /** Allows an outcome for the entry. */
  adopt({ seq, user, actor, view, server, identity, method, target }: StoredRow): void {
    this.#open.set(seq, { user, actor, view, server, identity, method, target });
  }

  /** Records the outcome of an entry. Only the first counts; an entry that never started gets none. */
  end(seq: number, outcome: AuditOutcome): void {
    const subject = this.#open.get(seq);
    if (!subject) return;
    this.#open.delete(seq);
    const fields = { ...subject, ...outcome, kind: "outcome", of: seq } as const;
    this.#queue.addOutcome({ fields, time: this.#options.now(), weight: rowWeight(fields) });
    this.#linger ??= setTimeout(() => {
      this.#linger = undefined;
      void this.#drain();
    }, LINGER);
  }

  flush(): Promise<void> {
    if (this.#queue.outcomes === 0) return Promise.resolve();
    const flushed = new Promise<void>((resolve) => this.#flushed.push(resolve));
    this.#schedule();
    return flushed;
  }

  /** Writes queued rows, if possible. */
  async settle(): Promise<void> {
    while (this.healthy && this.#queue.outcomes > 0) await this.#drain();
  }

  /** Stops writing until {@link accept}. */
  break(message: string): void {
    this.#state = "broken";
    this.#problem = message;
    this.#alarm({ active: true, message });
  }

  /** Continues after a broken chain. */
  accept(): void {
    if (this.#state !== "broken") return;
    this.#state = "ready";
    this.#alarm({ active: false, message: "the broken chain was accepted: the audit log is writable again" });
    this.#schedule();
  }

  /** Writes as much as possible, and stops. */
  async close(): Promise<void> {
    if (this.#state === "closed") return;
    clearTimeout(this.#retry);
    await this.#recovering;
    clearTimeout(this.#retry);
    if (this.#state === "failed") await this.#recover();
    await this.settle();
    this.#state = "closed";
    clearTimeout(this.#retry);
    clearTimeout(this.#linger);
    await this.#writing;
    this.#queue.rejectEntries(stopping());
    for (const resolve of this.#flushed.splice(0)) resolve();
    if (this.#queue.outcomes > 0) {
      const message = `${this.#queue.outcomes} outcomes could not be written: at the next start they are recorded as indeterminate`;
      this.#alarm({ active: true, message });
    }
  }

  #refusal(user: RowFields["user"], weight: number): GatewayError | undefined {
    if (this.#state === "closed") return stopping();
    if (this.#state !== "ready") return unwritable(this.#problem);
    if (this.#queue.hasRoom(user, weight)) return undefined;
    return new GatewayError("overloaded", "too many calls are waiting for the audit log: try again later");
  }

  /** At the end of this turn of the event loop, so that simultaneous rows form one commit. */
  #schedule(): void {
    if (this.#scheduled || this.#isWriting) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      void this.#drain();
    });
  }

  #drain(): Promise<void> {
    if (!this.#isWriting || !this.#writing) this.#writing = this.#writeGroups();
    return this.#writing;
  }

  async #writeGroups(): Promise<void> {
    this.#isWriting = true;
    let lockedSince = 0;
    let pause = 1;
    while (this.#state === "ready" && this.#queue.size > 0) {
      const { outcomes, entries } = this.#queue.group();
      const rows = this.#chain([...outcomes, ...entries]);
      const began = performance.now();
      try {
        noteCommit(this.#engine);
        await this.#engine.append(rows);
        this.#options.oncommit?.((performance.now() - began) / 1000);
      } catch (error) {
        if (error instanceof ShardsMoved) {
          this.#queue.rejectNext(({ fields }) => isOf(fields, error.shards), moved());
          continue;
        }
        lockedSince ||= performance.now();
        if (this.#engine.isBusy(error) && performance.now() - lockedSince < LOCK_TIMEOUT) {
          await wait(pause);
          pause = Math.min(pause * 2, 50);
          continue;
        }
        this.#fail(error, { rows, outcomes: outcomes.length });
        break;
      }
      lockedSince = 0;
      pause = 1;
      this.#failures = 0;
      this.#moveHead(rows);
      for (const row of rows) this.#awaitOutcome(row);
      this.#dropOutcomes(outcomes.length);
      // Outcomes alone leave the chosen entries for the next commit.
      if (entries.length > 0) this.#queue.resolveEntries(this.#head.seq - entries.length + 1);
    }
    this.#isWriting = false;
  }

  #chain(waiting: readonly WaitingRow[]): StoredRow[] {
    let head = this.#head;
    return waiting.map(({ fields, time }) => {
      const row = chainRow(head, time, fields);
      head = row;
      return row;
    });
  }

  #awaitOutcome(row: StoredRow): boolean {
    if (row.kind !== "entry" || row.decision !== "allowed") return false;
    this.adopt(row);
    return true;
  }

  #dropOutcomes(count: number): void {
    this.#queue.dropOutcomes(count);
    if (this.#queue.outcomes === 0) for (const resolve of this.#flushed.splice(0)) resolve();
  }

  #moveHead(rows: readonly StoredRow[]): void {
    const last = rows.at(-1);
    if (!last) return;
    this.#head = { seq: last.seq, hash: last.hash };
    this.#options.onhead?.(this.#head);
  }

  /** Refuses waiting entries, and keeps outcomes. Retries until writing works again. */
  #fail(error: unknown, inDoubt?: Doubt): void {
    // The last commit has failed while the log was being closed: nothing is retried any more.
    if (this.#state === "closed") return;
    this.#state = "failed";
    this.#problem = messageOf(error);
    this.#inDoubt = inDoubt ? [inDoubt] : [];
    this.#refused += this.#queue.rejectEntries(unwritable(this.#problem, error));
    const message = `the audit log cannot be written, so calls that need it are refused: ${this.#problem}`;
    this.#alarm({ active: true, message, cause: error });
    this.#retryLater();
  }

  #retryLater(): void {
    const delay = Math.min(RETRY.first * 2 ** this.#failures++, RETRY.most);
    this.#retry = setTimeout(() => {
      this.#recovering = this.#recover().then((ok) => {
        this.#recovering = undefined;
        if (!ok && this.#state === "failed") this.#retryLater();
      });
    }, delay);
  }

  async #recover(): Promise<boolean> {
    try {
      await this.#engine.recover();
      await this.#options.onregained?.();
      this.#reconcile(await this.#options.readHead());
      await this.#resume();
    } catch (error) {
      this.#problem = messageOf(error);
      return false;
    }
    this.#state = "ready";
    this.#alarm({ active: false, message: "the audit log is writable again" });
    this.#schedule();
    return true;
  }

  /** Finds out whether rows in doubt were written, so that none is missing or duplicated. */
  #reconcile(found: AuditHead): void {
    if (isSame(found, this.#head)) return;
    const written = this.#inDoubt.find(({ rows }) => isSame(found, rows.at(-1)));
    if (!written) {
      const message = `the audit log in the database ends at row ${found.seq}, but this gateway wrote up to row ${this.#head.seq}: it was changed by another program; restore it, or restart the gateway`;
      throw new GatewayError("audit-failed", message);
    }
    // The numbers of the others are taken.
    this.#inDoubt = [];
    this.#moveHead(written.rows);
    this.#dropOutcomes(written.outcomes);
    this.#refused -= written.refused ?? 0;
    for (const row of written.rows) {
      // The caller was told that nothing happens, and nothing did.
      if (this.#awaitOutcome(row)) {
        this.end(row.seq, { outcome: "cancelled", code: "audit-failed", duration: 0 });
      }
    }
  }

  /** The first row after a failure records it, and proves that rows can be written. */
  async #resume(): Promise<void> {
    // The same row again, if the last attempt had no answer: so there are two commits in doubt at most.
    const last = this.#inDoubt.at(-1);
    const resuming = last?.refused === undefined ? this.#resumption() : last;
    if (resuming !== last) this.#inDoubt = [...this.#inDoubt, resuming];
    await this.#engine.append(resuming.rows);
    this.#inDoubt = [];
    this.#refused -= resuming.refused ?? 0;
    this.#moveHead(resuming.rows);
  }

  #resumption(): Doubt {
    const refused = this.#refused;
    const params = JSON.stringify({ refused });
    const fields = { kind: "mark", method: "audit/resume", reason: this.#problem, params } as const;
    const rows = this.#chain([{ fields, time: this.#options.now(), weight: 0 }]);
    return { rows, outcomes: 0, refused };
  }

  /** Asynchronous, so that an error of a listener does not affect the log. */
  #alarm(alarm: Parameters<OnAlarm>[0]): void {
    queueMicrotask(() => this.#options.onalarm(alarm));
  }
}

const isSame = (a: AuditHead, b: AuditHead | undefined): boolean => a.seq === b?.seq && a.hash === b.hash;

const isOf = (fields: RowFields, shards: ReadonlySet<number>): boolean => {
  const shard = shardOfEntry(fields);
  return shard !== undefined && shards.has(shard);
};

const moved = () => new GatewayError("stopping", "another node of the gateway serves this user now");

const stopping = () => new GatewayError("stopping", "the gateway is stopping");

const unwritable = (problem: string, cause?: unknown) =>
  new GatewayError("audit-failed", `the audit log cannot be written, so the call was not made: ${problem}`, {
    cause,
  });
