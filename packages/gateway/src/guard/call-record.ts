/**
 * The record of one call: an entry before it happens, an outcome after.
 *
 * @module
 */
import type { Question } from "@vitrine/guard";
import type { VitrineError } from "@vitrine/protocol";
import type { ServerIdentity } from "@vitrine/servers";
import { GatewayError } from "@vitrine/wire";
import type { AuditSettings } from "../config/config.js";
import type { AuditLog, AuditOutcome, KeptResults } from "../store/store.js";
import { MAX_RESULT } from "../store/stored-results.js";
import { onlyReads, recordingOf } from "./allow-list.js";
import type { GuardMetrics } from "./guard-options.js";
import { type GuardedCall, laneOf } from "./guarded-call.js";
import {
  entryOf,
  failureOf,
  hashOf,
  paramsFor,
  reasonOf,
  resultFor,
  resultText,
  wasNotSent,
} from "./record.js";
import { hasField } from "./redact.js";
import type { RefusalLog } from "./refusal-log.js";

/** Where calls are recorded. */
export interface RecordPlace {
  readonly server: string;
  /** Which server it is; undefined for what was asked of none. */
  readonly identity: ServerIdentity | undefined;
  readonly audit: AuditLog;
  /** Where results are kept for a repeated key. */
  readonly results?: Pick<KeptResults, "keep"> | undefined;
  /** As they are now: they may change while the gateway runs. */
  readonly settings: { readonly audit: AuditSettings };
  readonly refusals: RefusalLog;
  readonly metrics: GuardMetrics;
  readonly clock: () => number;
  readonly onerror: (error: unknown) => void;
}

/** One call on its way through the guard. */
export class CallRecord {
  /** Why it may go on; undefined until the policy has said so. */
  reason: string | undefined;
  /** What the policy was asked. */
  question: Question | undefined;
  /** Whether it may have had an effect. */
  hasBegun = false;
  /** Whether the server was asked to do something. */
  mayHaveHappened = false;
  readonly #place: RecordPlace;
  readonly #call: GuardedCall;
  readonly #start: number;
  #hash: ReturnType<typeof hashOf> | undefined;
  #seq: number | Promise<number | undefined> | undefined;

  constructor(call: GuardedCall, place: RecordPlace) {
    this.#call = call;
    this.#place = place;
    this.#start = place.clock();
  }

  /** Of the params. Made when it is first needed: after the limits, unless the call has a key. */
  get hash(): ReturnType<typeof hashOf> {
    return (this.#hash ??= hashOf(this.#call));
  }

  /**
   * Writes the entry, and resolves with its number when it is on disk. Only logs, which have no effect, go on without.
   *
   * @throws {GatewayError} `audit-failed`, or `stopping`
   */
  async begin(): Promise<number> {
    const { audit, settings, onerror } = this.#place;
    const { reason } = this;
    if (reason === undefined) throw new Error("a call came to its effect without a decision");
    const recording = recordingOf(this.#call.method);
    if (recording === "none") {
      this.hasBegun = true;
      return 0;
    }
    const entry = entryOf(this.#call, this.#place, "allowed", reason, this.hash);
    entry.params = paramsFor(this.#call, settings.audit);
    if (recording === "loose") {
      // `async`: what throws at once, or later, ends in the same place.
      this.#seq = (async () => audit.begin(entry))().catch((error) => void onerror(error));
    } else {
      try {
        this.#seq = await audit.begin(entry);
      } catch (error) {
        throw auditFailed(error);
      }
    }
    this.hasBegun = true;
    this.#told(({ decided }) => decided?.(this.#call, "allowed", reason, entry.paramsSize));
    return typeof this.#seq === "number" ? this.#seq : 0;
  }

  /** It was done. Its result is hashed when the answer is on its way: who waits does not wait for that. */
  ended(result: unknown): void {
    const duration = this.#place.clock() - this.#start;
    if (this.#seq === undefined) this.#end({ outcome: "ok", duration });
    else setImmediate(() => this.#end({ outcome: "ok", duration, ...this.#resultOf(result) }));
  }

  /** What is recorded of a result. Whatever goes wrong with that, the call was done. */
  #resultOf(result: unknown): Partial<AuditOutcome> {
    const { settings, results, onerror } = this.#place;
    try {
      const text = resultText(result);
      if (text !== undefined && typeof this.#seq === "number" && this.#mayKeep(text))
        results?.keep(this.#seq, text);
      return resultFor(result, text, settings.audit);
    } catch (error) {
      onerror(error);
      return {};
    }
  }

  /** Whether a result is kept for a repeated key. One with a field that must not be kept is not. */
  #mayKeep(text: string): boolean {
    const { payloads, redact } = this.#place.settings.audit;
    const { key, method } = this.#call;
    if (payloads === "none") return false;
    // What only reads is read again in place of being kept.
    if (key === undefined || text.length > MAX_RESULT || onlyReads(method, this.question?.tool)) return false;
    return !hasField(text, redact);
  }

  /** It had begun, and failed. */
  failed(error: unknown): void {
    const failure = failureOf(error);
    // Taken back too late: the server had it already, and nobody knows what it made of it.
    if (this.mayHaveHappened && failure.outcome === "cancelled" && !wasNotSent(error))
      failure.outcome = "indeterminate";
    this.#end({ ...failure, duration: this.#place.clock() - this.#start });
  }

  /** It was refused: nothing happened. A flood of notifications that are dropped is one row (D03). */
  async refused(error: VitrineError): Promise<void> {
    const { refusals } = this.#place;
    const reason = reasonOf(error);
    this.#told(({ decided }) => decided?.(this.#call, "refused", reason, this.#hash?.paramsSize));
    // What could not be recorded a moment ago cannot be now: the store raises the alarm. A log that could not be read may
    // be written.
    const isUnread = Object(error.data).indeterminate === true;
    if ((UNRECORDABLE.test(reason) && !isUnread) || isRepeated(error)) return;
    // Without a hash that is not there yet: it costs, and nothing happened.
    const entry = entryOf(this.#call, this.#place, "refused", reason, this.#hash);
    // Names of views that are none are endless.
    await refusals.note(reason === "view-unknown" ? "" : laneOf(this.#call), entry);
  }

  #end(outcome: AuditOutcome): void {
    const { audit } = this.#place;
    const seq = this.#seq;
    if (typeof seq === "number") audit.end(seq, outcome);
    else void seq?.then((number) => number !== undefined && audit.end(number, outcome));
    this.#told(({ ended }) =>
      ended?.(this.#call, outcome.outcome, outcome.duration, outcome.resultSize ?? 0),
    );
  }

  #told(tell: (metrics: GuardMetrics) => void): void {
    try {
      tell(this.#place.metrics);
    } catch (error) {
      this.#place.onerror(error);
    }
  }
}

/** With these, nothing can be written. */
const UNRECORDABLE = /^(audit-failed|stopping)$/;

function auditFailed(cause: unknown): GatewayError {
  if (cause instanceof GatewayError && UNRECORDABLE.test(cause.data.code)) return cause;
  const message = "it could not be recorded, so it was not done: the gateway's database needs attention";
  return new GatewayError("audit-failed", message, { cause });
}

const isRepeated = ({ data }: VitrineError): boolean =>
  typeof data === "object" && data !== null && "repeated" in data && data.repeated === true;
