/**
 * The one that writes the audit log: it numbers and chains rows, commits those that come together at once, and knows
 * what to do when it cannot.
 *
 * @module
 */

import { messageOf } from "@vitrine/servers/support";
import { GatewayError } from "@vitrine/wire";
import { AuditQueue, type QueueLimits, type Waiting } from "./audit-queue.js";
import { type Engine, LOCK_TIMEOUT, wait } from "./engine.js";
import { chainRow, type RowFields, rowWeight, type StoredRow } from "./row.js";
import type { AuditHead, AuditOutcome, OnAlarm } from "./store.js";

/** Milliseconds that an outcome waits for company. */
const LINGER = 20;
/** Milliseconds from a failure to the next attempt: the first time, and at most. */
const RETRY = { first: 100, most: 5000 };

/** What an outcome repeats of its entry, so that a search finds both. */
type Subject = Pick<StoredRow, "user" | "actor" | "view" | "server" | "identity" | "method" | "target">;

/** `broken`: the chain was found broken, and nobody has looked into it. */
type State = "ready" | "failed" | "broken" | "closed";

/** What a writer needs beside the database. */
export interface WriterOptions {
  now: () => number;
  onalarm: OnAlarm;
  oncommit?: ((seconds: number) => void) | undefined;
  /** Told the last row that is on disk, whenever that is another one. */
  onhead?: ((head: AuditHead) => void) | undefined;
  limits: QueueLimits;
  /** The last row that is in the database. */
  readHead: () => Promise<AuditHead>;
  /** The database was lost, and is this process's again. Nothing is done before it has resolved. */
  onregained?: (() => Promise<void>) | undefined;
}

export class AuditWriter {
  readonly #engine: Engine;
  readonly #options: WriterOptions;
  readonly #queue: AuditQueue;
  #state: State = "ready";
  #problem = "";
  #head: AuditHead;
  /** Entries that may still get an outcome. */
  readonly #open = new Map<number, Subject>();
  /** Rows whose commit was not answered: all of them are there, or none is. */
  #inDoubt: { rows: readonly StoredRow[]; outcomes: number } | undefined;
  #scheduled = false;
  #isWriting = false;
  #writing: Promise<void> | undefined;
  #linger: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;
  #recovering: Promise<void> | undefined;
  /** Since rows were last written as usual. */
  #failures = 0;
  #refused = 0;
  #flushed: (() => void)[] = [];

  constructor(engine: Engine, head: AuditHead, options: WriterOptions) {
    this.#engine = engine;
    this.#head = head;
    this.#options = options;
    this.#queue = new AuditQueue(options.limits);
    engine.onlost = (error) => {
      // A commit that is under way fails by itself, and is in doubt.
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

  /** What is wrong with the chain, until somebody accepts it. */
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
    return this.#open.size === 0 && this.#queue.outcomes === 0 && !this.#inDoubt;
  }

  /** Writes a row, and resolves with its number when it is on disk. */
  write(fields: RowFields): Promise<number> {
    const weight = rowWeight(fields);
    const refusal = this.#refusal(weight);
    if (refusal) {
      this.#refused++;
      return Promise.reject(refusal);
    }
    return new Promise((resolve, reject) => {
      this.#queue.addEntry({ fields, time: this.#options.now(), weight, resolve, reject });
      this.#schedule();
    });
  }

  /** From now on the entry may get an outcome. */
  adopt({ seq, user, actor, view, server, identity, method, target }: StoredRow): void {
    this.#open.set(seq, { user, actor, view, server, identity, method, target });
  }

  /** The first outcome of an entry stands; what has one, or never began, gets none. */
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

  /** Writes what waits, if it can be written now. */
  async settle(): Promise<void> {
    while (this.healthy && this.#queue.outcomes > 0) await this.#drain();
  }

  /** Nothing is written until {@link accept}. */
  break(message: string): void {
    this.#state = "broken";
    this.#problem = message;
    this.#alarm({ active: true, message });
  }

  /** Goes on behind a chain that was broken. */
  accept(): void {
    if (this.#state !== "broken") return;
    this.#state = "ready";
    this.#alarm({ active: false, message: "the broken chain was accepted: the audit log is written again" });
    this.#schedule();
  }

  /** Writes what it can, and stops. */
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

  #refusal(weight: number): GatewayError | undefined {
    if (this.#state === "closed") return stopping();
    if (this.#state !== "ready") return unwritable(this.#problem);
    if (this.#queue.hasRoom(weight)) return undefined;
    return new GatewayError("overloaded", "too many calls wait for the audit log: try again later");
  }

  /** At the end of this turn of the event loop, so that all that arrived in it goes together. */
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
        await this.#engine.append(rows);
        this.#options.oncommit?.((performance.now() - began) / 1000);
      } catch (error) {
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
      this.#queue.resolveEntries(entries.length, this.#head.seq - entries.length + 1);
    }
    this.#isWriting = false;
  }

  #chain(waiting: readonly Waiting[]): StoredRow[] {
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

  /** Whoever waits is refused; outcomes are kept. From here on it is tried again until it works. */
  #fail(error: unknown, inDoubt?: { rows: readonly StoredRow[]; outcomes: number }): void {
    this.#state = "failed";
    this.#problem = messageOf(error);
    this.#inDoubt = inDoubt;
    this.#refused += this.#queue.rejectEntries(unwritable(this.#problem, error));
    const message = `the audit log cannot be written, and nothing that needs it is done: ${this.#problem}`;
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
    this.#refused = 0;
    this.#alarm({ active: false, message: "the audit log is written again" });
    this.#schedule();
    return true;
  }

  /** Finds out whether what was in doubt is there, so that nothing is missing, and nothing is there twice. */
  #reconcile(found: AuditHead): void {
    const inDoubt = this.#inDoubt;
    if (isSame(found, this.#head)) this.#inDoubt = undefined;
    else if (inDoubt && isSame(found, inDoubt.rows.at(-1))) {
      this.#inDoubt = undefined;
      this.#moveHead(inDoubt.rows);
      this.#dropOutcomes(inDoubt.outcomes);
      for (const row of inDoubt.rows) {
        // Whoever asked was told that nothing is done, and nothing was.
        if (this.#awaitOutcome(row)) {
          this.end(row.seq, { outcome: "cancelled", code: "audit-failed", duration: 0 });
        }
      }
    } else {
      const message = `the audit log in the database ends at row ${found.seq}, and this gateway wrote up to row ${this.#head.seq}: somebody else changed it; bring it back as it was, or restart the gateway`;
      throw new GatewayError("audit-failed", message);
    }
  }

  /** The first row after a failure says so. It is also the proof that rows can be written. */
  async #resume(): Promise<void> {
    const params = JSON.stringify({ refused: this.#refused });
    const mark = { kind: "mark", method: "audit/resume", reason: this.#problem, params } as const;
    const rows = this.#chain([{ fields: mark, time: this.#options.now(), weight: 0 }]);
    this.#inDoubt = { rows, outcomes: 0 };
    await this.#engine.append(rows);
    this.#inDoubt = undefined;
    this.#moveHead(rows);
  }

  /** In its own time: a listener that throws must not stop the log. */
  #alarm(alarm: Parameters<OnAlarm>[0]): void {
    queueMicrotask(() => this.#options.onalarm(alarm));
  }
}

const isSame = (a: AuditHead, b: AuditHead | undefined): boolean => a.seq === b?.seq && a.hash === b.hash;

const stopping = () => new GatewayError("stopping", "the gateway is stopping");

const unwritable = (problem: string, cause?: unknown) =>
  new GatewayError("audit-failed", `the audit log cannot be written, so nothing is done: ${problem}`, {
    cause,
  });
