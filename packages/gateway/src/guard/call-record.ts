/**
 * The audit record of a call: an entry before it runs, an outcome afterwards.
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
import { type GuardedCall, limitKeyOf } from "./guarded-call.js";
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
  /** The server's identity; undefined for requests without a server. */
  readonly identity: ServerIdentity | undefined;
  readonly audit: AuditLog;
  /** Stores results for repeated keys. */
  readonly results?: Pick<KeptResults, "keep"> | undefined;
  /** The current settings, which may change while the gateway runs. */
  readonly settings: { readonly audit: AuditSettings };
  readonly refusals: RefusalLog;
  readonly metrics: GuardMetrics;
  readonly clock: () => number;
  readonly onerror: (error: unknown) => void;
}

/** A call on its way through the guard. */
export class CallRecord {
  /** Why it is allowed; undefined until the policy has decided. */
  reason: string | undefined;
  /** The question for the policy. */
  question: Question | undefined;
  /** Whether it may have had an effect. */
  hasStarted = false;
  /** Whether the request was sent to the server. */
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

  /** The hash of the params. Computed on first use: after the limits, unless the call has a key. */
  get hash(): ReturnType<typeof hashOf> {
    return (this.#hash ??= hashOf(this.#call));
  }

  /**
   * Writes the entry, and resolves with its number when it is on disk. Only log notifications, which have no
   * effect, do not wait.
   *
   * @throws {GatewayError} `audit-failed`, or `stopping`
   */
  async begin(): Promise<number> {
    const { audit, settings, onerror } = this.#place;
    const { reason } = this;
    if (reason === undefined) throw new Error("a call came to its effect without a decision");
    const recording = recordingOf(this.#call);
    if (recording === "none") {
      this.hasStarted = true;
      return 0;
    }
    const entry = entryOf(this.#call, this.#place, "allowed", reason, this.hash);
    entry.params = paramsFor(this.#call, settings.audit);
    if (recording === "loose") {
      // `async`, so that synchronous and asynchronous errors are handled in the same way.
      this.#seq = (async () => audit.begin(entry))().catch((error) => void onerror(error));
    } else {
      try {
        this.#seq = await audit.begin(entry);
      } catch (error) {
        throw auditFailed(error);
      }
    }
    this.hasStarted = true;
    this.#report(({ began, decided }) => {
      began?.(this.#call, this.#place.clock() - this.#start);
      decided?.(this.#call, "allowed", reason, entry.paramsSize);
    });
    return typeof this.#seq === "number" ? this.#seq : 0;
  }

  /**
   * Records success. The result is hashed after the answer was sent, so that the caller does not wait for it.
   */
  ended(result: unknown): void {
    const duration = this.#place.clock() - this.#start;
    if (this.#seq === undefined) this.#end({ outcome: "ok", duration });
    else setImmediate(() => this.#end({ outcome: "ok", duration, ...this.#resultOf(result) }));
  }

  /** The recorded part of a result. An error here does not affect the call, which has run. */
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

  /** Whether a result is stored for a repeated key. A result with a redacted field is not. */
  #mayKeep(text: string): boolean {
    const { payloads, redact } = this.#place.settings.audit;
    const { key, method } = this.#call;
    if (payloads === "none") return false;
    // A read-only call is repeated instead of storing its result.
    if (key === undefined || text.length > MAX_RESULT || onlyReads(method, this.question?.tool)) return false;
    return !hasField(text, redact);
  }

  /** Records that a started call failed. */
  failed(error: unknown): void {
    const failure = failureOf(error);
    // Aborted too late: the server had received it, so the outcome is unknown.
    if (this.mayHaveHappened && failure.outcome === "cancelled" && !wasNotSent(error))
      failure.outcome = "indeterminate";
    this.#end({ ...failure, duration: this.#place.clock() - this.#start });
  }

  /** Records a refusal: nothing happened. A flood of dropped notifications becomes a single row. */
  async refused(error: VitrineError): Promise<void> {
    const { refusals } = this.#place;
    const reason = reasonOf(error);
    this.#report(({ decided }) => decided?.(this.#call, "refused", reason, this.#hash?.paramsSize));
    // If recording just failed, it would fail again: the store raises the alarm. A log that could not be read
    // may still be writable.
    const isUnread = Object(error.data).indeterminate === true;
    if ((UNRECORDABLE.test(reason) && !isUnread) || isRepeated(error)) return;
    // Without a hash unless it was computed: it is costly, and nothing happened.
    const entry = entryOf(this.#call, this.#place, "refused", reason, this.#hash);
    // The number of made-up view ids is unlimited.
    await refusals.note(refusalKeyOf(this.#call, reason === "view-unknown"), entry);
  }

  #end(outcome: AuditOutcome): void {
    const { audit } = this.#place;
    const seq = this.#seq;
    if (typeof seq === "number") audit.end(seq, outcome);
    else void seq?.then((number) => number !== undefined && audit.end(number, outcome));
    this.#report(({ ended }) =>
      ended?.(this.#call, outcome.outcome, outcome.duration, outcome.resultSize ?? 0),
    );
  }

  #report(send: (metrics: GuardMetrics) => void): void {
    try {
      send(this.#place.metrics);
    } catch (error) {
      this.#place.onerror(error);
    }
  }
}

/** The key for counting refusals: per user and caller; those of unknown views together. */
export const refusalKeyOf = (call: Pick<GuardedCall, "user" | "actor" | "view">, isUnknown = false): string =>
  JSON.stringify([call.user, isUnknown ? "" : limitKeyOf(call)]);

/** Errors after which nothing can be written. */
const UNRECORDABLE = /^(audit-failed|stopping)$/;

function auditFailed(cause: unknown): GatewayError {
  if (cause instanceof GatewayError && UNRECORDABLE.test(cause.data.code)) return cause;
  const message = "the call could not be recorded, so it was not made: check the gateway's database";
  return new GatewayError("audit-failed", message, { cause });
}

const isRepeated = ({ data }: VitrineError): boolean =>
  typeof data === "object" && data !== null && "repeated" in data && data.repeated === true;
