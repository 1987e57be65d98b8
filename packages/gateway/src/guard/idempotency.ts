/**
 * Idempotency keys: calls with the same key run once and get the same outcome.
 *
 * @module
 */
import { sizeOf } from "@vitrine/guard";
import { JsonText, recordOf, VitrineError } from "@vitrine/protocol";
import type { ServerIdentity } from "@vitrine/servers";
import { GatewayError } from "@vitrine/wire";
import type { AuditLog, AuditOutcome, KeptResults, StoredAuditRow } from "../store/store.js";
import { sha256 } from "./digest.js";
import { type Actor, callerOf } from "./guarded-call.js";
import { KeySeries } from "./key-series.js";
import { wasNotSent } from "./record.js";

/** Options of {@link Idempotency}: limits, and the sources of earlier outcomes. */
export interface IdempotencyOptions {
  readonly audit: Pick<AuditLog, "find" | "mayHaveSeries" | "isIncomplete">;
  /** Results that survive a restart. */
  readonly results?: Pick<KeptResults, "find"> | undefined;
  /** Milliseconds for which an outcome is kept in memory; ten minutes by default. */
  readonly keepFor?: number | undefined;
  /** Maximum number of outcomes, and of their characters in total; 20,000 and 32 million by default. */
  readonly entries?: number | undefined;
  readonly total?: number | undefined;
  /**
   * Maximum characters of a stored result; 256,000 by default. For a larger one, only the fact that the call
   * ran is kept.
   */
  readonly result?: number | undefined;
  /** A monotonic clock in milliseconds. */
  readonly clock?: (() => number) | undefined;
}

/** A call with its key. */
export interface KeyedCall {
  readonly user: string;
  readonly key: string;
  /** Undefined if unknown, as for a closed view; then it is not compared. */
  readonly server: string | undefined;
  /**
   * The server's identity: another server of the same name does not get the answer. Undefined if there is no
   * such server now.
   */
  readonly identity: ServerIdentity | undefined;
  readonly method: string;
  readonly paramsHash: string;
  /** The caller, as given by {@link callerOf}: another caller does not get the answer. */
  readonly caller: string;
  /**
   * Whether the caller may have had another id before: a view that was reopened after its session was lost.
   */
  readonly mayBeOld?: boolean | undefined;
  /** Whether the gateway created the key, so that no lost call can have had it. */
  readonly isOwnKey?: boolean | undefined;
  /** Whether the call may be repeated if its outcome is unknown: the tool is read-only or idempotent. */
  readonly isReplayable: () => Promise<boolean>;
}

/** The members that must be equal for a key to mean the same call. */
type Sameness = Pick<KeyedCall, "caller" | "server" | "identity" | "method" | "paramsHash">;

/** A call that started with a key, in this process or an earlier one. */
export interface RecalledKey {
  readonly entry: StoredAuditRow;
  readonly outcome: AuditOutcome["outcome"];
  readonly result?: JsonText;
}

interface Entry extends Sameness {
  readonly key: string;
  /** The outcome; undefined if it was too large to keep. */
  outcome: Promise<unknown> | undefined;
  end: "ok" | "failed";
  size: number;
  /** When the entry expires; 0 if it is not kept. */
  until: number;
}

const TEN_MINUTES = 10 * 60 * 1000;
/** The size of an entry without its result. */
const OVERHEAD = 300;
/** Milliseconds between removals of expired entries. */
const SWEEP = 1000;

/**
 * Remembers calls by user and key. A call whose key is running waits for the outcome. Within ten minutes the
 * same key gets the same outcome; with different params it gets `conflict`. The audit log knows all other
 * keys that may have run, also in earlier processes.
 */
export class Idempotency {
  readonly #options: IdempotencyOptions;
  readonly #limits: { keepFor: number; entries: number; total: number; result: number };
  readonly #clock: () => number;
  readonly #series: KeySeries;
  /** Finished calls, the oldest first, and their size. */
  readonly #over = new Map<string, Entry>();
  readonly #running = new Map<string, Entry>();
  #size = 0;
  #nextSweep = Number.NEGATIVE_INFINITY;

  constructor(options: IdempotencyOptions) {
    const { audit, keepFor, entries, total, result, clock } = options;
    this.#options = options;
    this.#series = new KeySeries(
      async (series) => this.#isUnderWay(series) || (await audit.mayHaveSeries(series)),
    );
    this.#limits = {
      keepFor: keepFor ?? TEN_MINUTES,
      entries: entries ?? 20_000,
      total: total ?? 32_000_000,
      result: result ?? 256_000,
    };
    this.#clock = clock ?? (() => performance.now());
  }

  /** Kept outcomes and running calls. */
  get count(): number {
    return this.#over.size + this.#running.size;
  }

  /**
   * Runs the call, or returns its earlier outcome. To refuse a call before its effect, let `run` throw: if
   * the key may have run before, the caller gets that outcome instead of the refusal.
   *
   * @param run calls `started` right before its effect: a call that fails earlier may be retried
   * @throws {GatewayError} `conflict`, `indeterminate`; `audit-failed` if the log cannot be read
   */
  async run<T>(call: KeyedCall, run: (started: () => void) => Promise<T>): Promise<T> {
    this.#forget();
    const id = JSON.stringify([call.user, call.key]);
    const running = this.#running.get(id);
    const known = running ?? this.#kept(id);
    if (known && !isSame(known, call)) throw conflict(call.key);
    if (known && !isSameServer(known, call)) throw replaced(running ? "indeterminate" : known.end);
    if (known?.outcome) {
      try {
        // The first caller of this key got a `T`.
        return (await known.outcome) as T;
      } catch (error) {
        // The other caller cancelled it, not this one. If it had started, the audit log knows.
        if (!isCancelled(error)) throw error;
        return this.run(call, run);
      }
    }
    if (known && !(await call.isReplayable()))
      throw unknownOutcome("its answer was too large to keep", known.end);

    let isKept = false;
    const started = () => {
      isKept = true;
    };
    const outcome = known ? run(started) : this.#runUnlessOld(call, () => run(started));
    const { key, caller, server, identity, method, paramsHash } = call;
    const entry: Entry = {
      key,
      caller,
      server,
      identity,
      method,
      paramsHash,
      outcome,
      end: "ok",
      size: OVERHEAD + id.length,
      until: 0,
    };
    this.#running.set(id, entry);
    try {
      const result = await outcome;
      this.#weigh(entry, result);
      return result;
    } catch (error) {
      // Until its stack is formatted, an error holds references to everything in its scope, such as the
      // params.
      for (let each = error; each instanceof Error; each = each.cause) void each.stack;
      const { message, data } = recordOf(error);
      entry.end = "failed";
      this.#weigh(entry, { message, data });
      // Not kept: a repeated request asks the log what became of a cancelled call, and makes a call that was not sent.
      if (isCancelled(error) || wasNotSent(error)) isKept = false;
      throw error;
    } finally {
      this.#running.delete(id);
      if (isKept) this.#keep(id, entry);
    }
  }

  async #runUnlessOld<T>(call: KeyedCall, run: () => Promise<T>): Promise<T> {
    const old = await this.#recall(call);
    if (old && !isSameServer(old.entry, call)) throw replaced(old.outcome);
    // The first caller got a `T`; JSON text is valid wherever results of servers are passed on.
    if (old?.result !== undefined) return old.result as T;
    if (old && !(await call.isReplayable())) throw unknownOutcome("its answer was lost", old.outcome);
    return run();
  }

  async #recall(call: KeyedCall): Promise<RecalledKey | undefined> {
    const { user, key, isOwnKey = false } = call;
    const old = (await this.#series.isNew(user, key)) ? undefined : await this.recall(user, key);
    if (old && !isSame(samenessOf(old.entry), call)) throw conflict(key);
    const mayBeLost = !old && !isOwnKey && this.#options.audit.isIncomplete;
    if (mayBeLost && !(await call.isReplayable())) throw notDoneNow("entries are missing from it");
    return old;
  }

  /**
   * The record of a key in the audit log; undefined if the call never started.
   *
   * @throws {GatewayError} `audit-failed` if the log cannot be read
   */
  async recall(user: string, key: string): Promise<RecalledKey | undefined> {
    const { audit, results } = this.#options;
    try {
      const old = await audit.find(user, key);
      // A call that was cancelled before its effect, or whose entry could not be written, never started.
      if (old?.entry.decision !== "allowed" || old.outcome?.outcome === "cancelled") return undefined;
      const { entry, outcome: { outcome = "indeterminate", resultHash } = {} } = old;
      const text = resultHash === undefined ? undefined : await results?.find(entry.seq);
      // The log contains the hash: a result that does not match is not returned.
      if (text === undefined || sha256(text) !== resultHash) return { entry, outcome };
      return { entry, outcome, result: new JsonText(text) };
    } catch (error) {
      throw notDoneNow("it cannot be read", error);
    }
  }

  /** Whether a call of the series is running: it may not be recorded yet. */
  #isUnderWay(series: string): boolean {
    for (const { key } of this.#running.values()) if (key.startsWith(`${series}.`)) return true;
    return false;
  }

  /** Counts the size of an outcome, or drops it. */
  #weigh(entry: Entry, outcome: unknown): void {
    const size = sizeOf(outcome, this.#limits.result);
    if (size <= this.#limits.result) entry.size += size;
    else entry.outcome = undefined;
  }

  #kept(id: string): Entry | undefined {
    const entry = this.#over.get(id);
    return entry && entry.until > this.#clock() ? entry : undefined;
  }

  #keep(id: string, entry: Entry): void {
    const before = this.#over.get(id);
    if (before) this.#drop(id, before);
    entry.until = this.#clock() + this.#limits.keepFor;
    this.#over.set(id, entry);
    this.#size += entry.size;
    this.#forget();
  }

  /**
   * Removes expired entries, and the oldest if there are too many. Runs now and then, for many entries at
   * once: a map is slow to find its first entry after each removal at its front.
   */
  #forget(): void {
    const now = this.#clock();
    const { entries, total } = this.#limits;
    const isFull = this.#over.size > entries || this.#size > total;
    if (!isFull && now < this.#nextSweep) return;
    this.#nextSweep = now + SWEEP;
    const share = isFull ? 0.9 : 1;
    for (const [id, entry] of this.#over) {
      const isOld = entry.until <= now;
      if (!isOld && this.#over.size <= entries * share && this.#size <= total * share) return;
      this.#drop(id, entry);
    }
  }

  #drop(id: string, entry: Entry): void {
    this.#over.delete(id);
    this.#size -= entry.size;
  }
}

/** A reopened view has another id; any other caller of the key must be the same. */
const isSame = (known: Omit<Sameness, "identity">, call: KeyedCall): boolean =>
  known.paramsHash === call.paramsHash &&
  known.method === call.method &&
  (call.server === undefined || known.server === call.server) &&
  (known.caller === call.caller ||
    (call.mayBeOld === true && known.caller.startsWith("view ") && call.caller.startsWith("view ")));

const samenessOf = ({
  actor,
  view,
  server,
  method,
  paramsHash,
}: StoredAuditRow): Omit<Sameness, "identity"> => ({
  caller: callerOf({ actor: actor as Actor, view: view ?? "" }),
  server,
  method: method ?? "",
  paramsHash: paramsHash ?? "",
});

/**
 * Rows from before identities existed have none; and if there is no such server now, there is nothing to
 * compare.
 */
const isSameServer = (known: { identity?: ServerIdentity | undefined }, call: KeyedCall): boolean =>
  known.identity === undefined || call.identity === undefined || known.identity === call.identity;

const isCancelled = (error: unknown): boolean => error instanceof VitrineError && error.code === "aborted";

const conflict = (key: string): GatewayError =>
  new GatewayError(
    "conflict",
    `the key ${JSON.stringify(key.slice(0, 100))} was used for another call: use a new key for each call`,
  );

const unknownOutcome = (why: string, outcome: string): GatewayError =>
  new GatewayError("indeterminate", `this call may have run before, and ${why}: it is not repeated`, {
    data: { outcome, indeterminate: true },
  });

const replaced = (outcome: string): GatewayError =>
  unknownOutcome("another server has its name now", outcome);

/** Nothing runs now, but the call may have run before. */
const notDoneNow = (why: string, cause?: unknown): GatewayError =>
  new GatewayError(
    "audit-failed",
    `the gateway's audit log needs attention: ${why}. The call was not made now, and it is unknown whether it ran before with this key. Send it again with the same key`,
    { cause, data: { indeterminate: true } },
  );
