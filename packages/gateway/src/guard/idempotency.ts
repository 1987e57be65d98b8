/**
 * Nothing runs twice: the same key gives the same outcome.
 *
 * @module
 */
import { sizeOf } from "@vitrine/guard";
import { JsonText, recordOf, VitrineError } from "@vitrine/protocol";
import type { ServerIdentity } from "@vitrine/servers";
import { GatewayError } from "@vitrine/wire";
import type { AuditLog, AuditOutcome, AuditRow, KeptResults } from "../store/store.js";
import { sha256 } from "./digest.js";
import { type Actor, callerOf } from "./guarded-call.js";
import { KeySeries } from "./key-series.js";

/** Limits of {@link Idempotency}, and where it looks up what it does not remember. */
export interface IdempotencyOptions {
  readonly audit: Pick<AuditLog, "find" | "mayHaveSeries" | "isIncomplete">;
  /** Results that outlive the process. */
  readonly results?: Pick<KeptResults, "find"> | undefined;
  /** Milliseconds for which an outcome is kept in memory; ten minutes by default. */
  readonly keepFor?: number | undefined;
  /** Outcomes that are kept, and characters of them together; 20,000 and 32 million by default. */
  readonly entries?: number | undefined;
  readonly total?: number | undefined;
  /** Characters of one result that is kept; 256,000 by default. Of a larger one it is known that it was. */
  readonly result?: number | undefined;
  /** Milliseconds; must not go back. */
  readonly clock?: (() => number) | undefined;
}

/** A call under its key. */
export interface KeyedCall {
  readonly user: string;
  readonly key: string;
  /** Undefined where it is not known, as for a view that was closed: then it is not compared. */
  readonly server: string | undefined;
  /** Which server it is: another one of its name does not get the answer. Undefined where there is none now. */
  readonly identity: ServerIdentity | undefined;
  readonly method: string;
  readonly paramsHash: string;
  /** Who asks, as {@link callerOf} says it: another caller does not get the answer. */
  readonly caller: string;
  /** The caller may have another name than before: a view that was opened again after its session was lost. */
  readonly mayBeOld?: boolean | undefined;
  /** The gateway made the key for this call: no earlier call that the log has lost can have had it. */
  readonly isOwnKey?: boolean | undefined;
  /** Whether it may be done again when nobody knows whether it was: the tool reads only, or is idempotent. */
  readonly isReplayable: () => Promise<boolean>;
}

/** What must be the same for a key to mean the same call. */
type Sameness = Pick<KeyedCall, "caller" | "server" | "identity" | "method" | "paramsHash">;

/** A call that began under a key, in this process or an earlier one. */
export interface RecalledKey {
  readonly entry: AuditRow;
  readonly outcome: AuditOutcome["outcome"];
  readonly result?: JsonText;
}

interface Entry extends Sameness {
  readonly key: string;
  /** The outcome; undefined when it was too large to keep. */
  outcome: Promise<unknown> | undefined;
  end: "ok" | "failed";
  size: number;
  /** When it is forgotten; 0 for what is not kept. */
  until: number;
}

const TEN_MINUTES = 10 * 60 * 1000;
/** What an entry costs beside its result. */
const OVERHEAD = 300;
/** Milliseconds between looks at what is old. */
const SWEEP = 1000;

/**
 * Remembers calls by user and key. A caller with a key that is under way waits for its outcome. Within ten minutes the
 * same key gets the same outcome; with other params it gets `conflict` (attack C20). The audit log knows every other key
 * that may have run, also in an earlier process.
 */
export class Idempotency {
  readonly #options: IdempotencyOptions;
  readonly #limits: { keepFor: number; entries: number; total: number; result: number };
  readonly #clock: () => number;
  readonly #series: KeySeries;
  /** Those that are over, the oldest first, and their size. */
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

  /** Outcomes that are kept, and calls under way. */
  get count(): number {
    return this.#over.size + this.#running.size;
  }

  /**
   * Runs it, or gives the outcome that there is. To refuse a call that never came as far as its effect, let `run` throw:
   * if the key may have run before, that is what the caller hears in place of the refusal.
   *
   * @param run calls `begun` when it is about to have an effect: what failed before may be tried again
   * @throws {GatewayError} `conflict`, `indeterminate`; `audit-failed` when the log cannot be read
   */
  async run<T>(call: KeyedCall, run: (begun: () => void) => Promise<T>): Promise<T> {
    this.#forget();
    const id = JSON.stringify([call.user, call.key]);
    const running = this.#running.get(id);
    const known = running ?? this.#kept(id);
    if (known && !isSame(known, call)) throw conflict(call.key);
    if (known && !isSameServer(known, call)) throw replaced(running ? "indeterminate" : known.end);
    if (known?.outcome) {
      try {
        // The one who ran it got a `T` under this very key.
        return (await known.outcome) as T;
      } catch (error) {
        // That was the other one's to take back, not this one's. If it had begun, the audit log knows.
        if (!isTakenBack(error)) throw error;
        return this.run(call, run);
      }
    }
    if (known && !(await call.isReplayable()))
      throw unknownOutcome("its answer was too large to keep", known.end);

    let isKept = false;
    const begun = () => {
      isKept = true;
    };
    const outcome = known ? run(begun) : this.#runUnlessOld(call, () => run(begun));
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
      // An error holds on to all that was at hand where it was made, the params too, until its stack is written.
      for (let each = error; each instanceof Error; each = each.cause) void each.stack;
      const { message, data } = recordOf(error);
      entry.end = "failed";
      this.#weigh(entry, { message, data });
      // Whoever asks again wants to know what became of the call, and not that somebody took it back.
      if (isTakenBack(error)) isKept = false;
      throw error;
    } finally {
      this.#running.delete(id);
      if (isKept) this.#keep(id, entry);
    }
  }

  async #runUnlessOld<T>(call: KeyedCall, run: () => Promise<T>): Promise<T> {
    const old = await this.#recall(call);
    if (old && !isSameServer(old.entry, call)) throw replaced(old.outcome);
    // Whoever got it first got it as a `T`; JSON text is one wherever results of servers are passed on.
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
   * What the audit log knows of a key; undefined if the call never began.
   *
   * @throws {GatewayError} `audit-failed` when the log cannot be read
   */
  async recall(user: string, key: string): Promise<RecalledKey | undefined> {
    const { audit, results } = this.#options;
    try {
      const old = await audit.find(user, key);
      // What was taken back between its entry and its effect, or whose entry could not be written, never began.
      if (old?.entry.decision !== "allowed" || old.outcome?.outcome === "cancelled") return undefined;
      const { entry, outcome: { outcome = "indeterminate", resultHash } = {} } = old;
      const text = resultHash === undefined ? undefined : await results?.find(entry.seq);
      // The log has the hash: a result that is not this call's, or was changed, is not given to anybody.
      if (text === undefined || sha256(text) !== resultHash) return { entry, outcome };
      return { entry, outcome, result: new JsonText(text) };
    } catch (error) {
      throw notDoneNow("it cannot be read", error);
    }
  }

  /** Whether a call of the series is under way: it may not be on record yet. */
  #isUnderWay(series: string): boolean {
    for (const { key } of this.#running.values()) if (key.startsWith(`${series}.`)) return true;
    return false;
  }

  /** Counts what is kept of an outcome, or lets go of it. */
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
   * Lets go of what is old, and of the oldest when there is too much: now and then, and then many at once, as a map is
   * slow to find its first entry after each one that was taken from its front.
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

/** A view that was opened again has another name; what else asks under the key is the same caller. */
const isSame = (known: Omit<Sameness, "identity">, call: KeyedCall): boolean =>
  known.paramsHash === call.paramsHash &&
  known.method === call.method &&
  (call.server === undefined || known.server === call.server) &&
  (known.caller === call.caller ||
    (call.mayBeOld === true && known.caller.startsWith("view ") && call.caller.startsWith("view ")));

const samenessOf = ({ actor, view, server, method, paramsHash }: AuditRow): Omit<Sameness, "identity"> => ({
  caller: callerOf({ actor: actor as Actor, view: view ?? "" }),
  server,
  method: method ?? "",
  paramsHash: paramsHash ?? "",
});

/** A row of before there were identities has none; and where there is no such server now, none can be compared. */
const isSameServer = (known: { identity?: ServerIdentity | undefined }, call: KeyedCall): boolean =>
  known.identity === undefined || call.identity === undefined || known.identity === call.identity;

const isTakenBack = (error: unknown): boolean => error instanceof VitrineError && error.code === "aborted";

const conflict = (key: string): GatewayError =>
  new GatewayError(
    "conflict",
    `the key ${JSON.stringify(key.slice(0, 100))} was used for another call: take a new key for each call`,
  );

const unknownOutcome = (why: string, outcome: string): GatewayError =>
  new GatewayError("indeterminate", `this call may have run before, and ${why}: it does not run again`, {
    data: { outcome, indeterminate: true },
  });

const replaced = (outcome: string): GatewayError =>
  unknownOutcome("another server has its name now", outcome);

/** Nothing is done now; but the call may have run before. */
const notDoneNow = (why: string, cause?: unknown): GatewayError =>
  new GatewayError(
    "audit-failed",
    `the gateway's audit log needs attention: ${why}. So the call does not run now; whether it ran before under this key is not known. Send it again with the same key`,
    { cause, data: { indeterminate: true } },
  );
