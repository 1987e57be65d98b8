/**
 * Nothing runs twice: the same key gives the same outcome.
 *
 * @module
 */
import { sizeOf } from "@vitrine/host";
import { VitrineError } from "@vitrine/protocol";
import type { ServerIdentity } from "../config/server-identity.js";
import { GatewayError } from "../errors.js";
import type { AuditLog } from "../store/store.js";

/** Limits of {@link Idempotency}, and where it looks up what it does not remember. */
export interface IdempotencyOptions {
  readonly find: AuditLog["find"];
  /** Milliseconds for which an outcome is kept; ten minutes by default. */
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
  readonly server: string;
  /** Which server it is: another one of its name does not get the answer. */
  readonly identity: ServerIdentity;
  readonly method: string;
  readonly paramsHash: string;
  /** Who asks, for calls of this life of the gateway: another one does not get its answer. */
  readonly caller: string;
  /** Look the key up in the audit log, if it is not remembered. */
  readonly mayBeOld?: boolean | undefined;
  /** Whether it may be done again when nobody knows whether it was: the tool reads only, or is idempotent. */
  readonly isReplayable: () => Promise<boolean>;
}

/** What must be the same for a key to mean the same call. */
type Sameness = Pick<KeyedCall, "caller" | "server" | "identity" | "method" | "paramsHash">;

interface Entry extends Sameness {
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
const MAX_SERIES = 10_000;
/** Milliseconds between looks at what is old. */
const SWEEP = 1000;

/**
 * Remembers calls by user and key. Who comes with a key that is under way waits for its outcome; within ten minutes
 * they get the one that was; with other params they get `conflict` (attack C20). A key that is not remembered is new,
 * unless it may be old: then the audit log knows whether it ever began.
 */
export class Idempotency {
  readonly #find: AuditLog["find"];
  readonly #limits: { keepFor: number; entries: number; total: number; result: number };
  readonly #clock: () => number;
  /** Those that are over, the oldest first, and their size. */
  readonly #over = new Map<string, Entry>();
  readonly #running = new Map<string, Entry>();
  #size = 0;
  #nextSweep = Number.NEGATIVE_INFINITY;
  /** Keys are often `<series>.<number>`: the highest number of each series that was forgotten early. */
  readonly #forgotten = new Map<string, number>();
  /** Until when any other key may be one that was forgotten early. */
  #unsureUntil = Number.NEGATIVE_INFINITY;

  constructor({ find, keepFor, entries, total, result, clock }: IdempotencyOptions) {
    this.#find = find;
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
   * Runs it, or gives the outcome that there is.
   *
   * @param run calls `begun` when it is about to have an effect: what failed before may be tried again
   * @throws {GatewayError} `conflict`, or `indeterminate`
   */
  async run<T>(call: KeyedCall, run: (begun: () => void) => Promise<T>): Promise<T> {
    this.#forget();
    const id = JSON.stringify([call.user, call.key]);
    const running = this.#running.get(id);
    const known = running ?? this.#kept(id);
    // A view that was opened again has another name: who may ask again after a lost session is known by the key.
    if (known && !(isSame(known, call) && (call.mayBeOld || known.caller === call.caller))) {
      throw conflict(call.key);
    }
    if (known?.outcome) {
      try {
        // The one who ran it got a `T` under this very key.
        return (await known.outcome) as T;
      } catch (error) {
        // Taken back before it began: that was the other one's to take back, not this one's.
        if (known !== running || known.until > 0 || !isTakenBack(error)) throw error;
        return this.run(call, run);
      }
    }
    if (known && !(await call.isReplayable()))
      throw unknownOutcome("its answer was too large to keep", known.end);

    const isSure = known !== undefined || !(call.mayBeOld || this.#mayBeForgotten(id));
    let hasBegun = false;
    const begun = () => {
      hasBegun = true;
    };
    const outcome = isSure ? run(begun) : this.#runUnlessOld(call, () => run(begun));
    const { caller, server, identity, method, paramsHash } = call;
    const entry: Entry = {
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
      const { message, data } = Object(error) as { message?: unknown; data?: unknown };
      entry.end = "failed";
      this.#weigh(entry, { message, data });
      throw error;
    } finally {
      this.#running.delete(id);
      if (hasBegun) this.#keep(id, entry);
    }
  }

  async #runUnlessOld<T>(call: KeyedCall, run: () => Promise<T>): Promise<T> {
    const old = await this.#find(call.user, call.key);
    // What was taken back between its entry and its effect, or whose entry could not be written, never began.
    const hasBegun = old?.entry.decision === "allowed" && old.outcome?.outcome !== "cancelled";
    if (old && hasBegun) {
      // A row of before there were identities has none. No result is in it that could be given away.
      const { server = "", method = "", paramsHash = "", identity = call.identity } = old.entry;
      if (!isSame({ server, method, paramsHash, identity }, call)) throw conflict(call.key);
      const outcome = old.outcome?.outcome ?? "indeterminate";
      if (!(await call.isReplayable())) throw unknownOutcome("its answer was lost", outcome);
    }
    return run();
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
      if (!isOld) this.#noteForgotten(id, entry.until);
    }
  }

  #drop(id: string, entry: Entry): void {
    this.#over.delete(id);
    this.#size -= entry.size;
  }

  /** Remembers of what was forgotten early that it may have been, so that the audit log is asked about it. */
  #noteForgotten(id: string, until: number): void {
    const { series, number } = seriesOf(id);
    if (number === undefined || this.#forgotten.size >= MAX_SERIES) {
      this.#unsureUntil = Math.max(this.#unsureUntil, until);
    } else {
      this.#forgotten.set(series, Math.max(number, this.#forgotten.get(series) ?? 0));
    }
    // Every series is covered by the time now.
    if (this.#forgotten.size >= MAX_SERIES) {
      this.#forgotten.clear();
      this.#unsureUntil = this.#clock() + this.#limits.keepFor;
    }
  }

  #mayBeForgotten(id: string): boolean {
    if (this.#clock() < this.#unsureUntil) return true;
    const { series, number } = seriesOf(id);
    return number !== undefined && number <= (this.#forgotten.get(series) ?? -1);
  }
}

/** An id is the JSON of user and key, so the number, if there is one, is before its last two characters. */
function seriesOf(id: string): { series: string; number?: number } {
  const [, series = id, digits] = /^(.*)\.(\d{1,15})"\]$/s.exec(id) ?? [];
  return digits === undefined ? { series } : { series, number: Number(digits) };
}

type Asked = Pick<Sameness, "server" | "method" | "paramsHash" | "identity">;

const isSame = (a: Asked, b: Asked): boolean =>
  a.paramsHash === b.paramsHash &&
  a.method === b.method &&
  a.server === b.server &&
  a.identity === b.identity;

const isTakenBack = (error: unknown): boolean => error instanceof VitrineError && error.code === "aborted";

const conflict = (key: string): GatewayError =>
  new GatewayError(
    "conflict",
    `the key ${JSON.stringify(key.slice(0, 100))} was used for another call: take a new key for each call`,
  );

const unknownOutcome = (why: string, outcome: string): GatewayError =>
  new GatewayError("indeterminate", `this call may have been done before, and ${why}: it is not done again`, {
    data: { outcome },
  });
