/**
 * Options of a guard.
 *
 * @module
 */
import type { ConsentAnswer, Link, Question } from "@vitrine/guard";
import type { Server } from "@vitrine/servers";
import type { GatewaySettings } from "../config/config.js";
import type { AuditOutcome, GatewayStore } from "../store/store.js";
import type { Begun } from "./begun-calls.js";
import type { FindView, GuardedCall } from "./guarded-call.js";
import type { Idempotency } from "./idempotency.js";
import type { Remember } from "./policy.js";

/**
 * Asks the user in the page of `question.view`; for a program over HTTP, that is `http:` and the program's
 * name, without a view. `remember` lists how long the answer can be remembered.
 */
export type GatewayAsk = (
  question: Question,
  remember: Remember[],
  signal: AbortSignal,
) => ConsentAnswer | Promise<ConsentAnswer>;

/** Callbacks for metrics. Their errors are ignored. */
export interface GuardMetrics {
  /**
   * A call was allowed (`policy`, `remembered`, `asked`), or refused with its code. The size of its params is
   * given if it was recorded.
   */
  decided?(
    call: GuardedCall,
    decision: "allowed" | "refused",
    reason: string,
    paramsSize: number | undefined,
  ): void;
  /** A call begins, after it has waited for its server, the user, its turn and the record: milliseconds. */
  began?(call: GuardedCall, waited: number): void;
  /** An allowed call has ended; the duration is in milliseconds, with fractions. */
  ended?(call: GuardedCall, outcome: AuditOutcome["outcome"], duration: number, resultSize: number): void;
}

/** Options of {@link gatewayGuard}. */
export interface GatewayGuardOptions {
  readonly server: Server;
  readonly user: string;
  /** The current settings; those of servers replace the settings that `server` was started with. */
  readonly settings: Pick<GatewaySettings, "policy" | "strict" | "audit"> &
    Partial<Pick<GatewaySettings, "servers">>;
  readonly store: Pick<GatewayStore, "audit" | "consents"> & Partial<Pick<GatewayStore, "results">>;
  /** Finds the views of this user on this server. */
  readonly views: FindView;
  /** Asks the user. Without it, calls that require a question are denied. */
  readonly ask?: GatewayAsk | undefined;
  /**
   * Shared by the whole gateway, because keys belong to a user, not to a server. By default every guard has
   * its own.
   */
  readonly idempotency?: Idempotency | undefined;
  readonly metrics?: GuardMetrics | undefined;
  /** The user's turns at a server that all users share. */
  readonly turns?: Link | undefined;
  /** Counts the user's calls that have begun. */
  readonly begun?: Begun | undefined;
  /** Called with internal errors of the guard, which the caller does not see. */
  readonly onerror?: ((error: unknown) => void) | undefined;
  /** The time in milliseconds since 1970, for expirations. */
  readonly now?: (() => number) | undefined;
  /** A monotonic clock in milliseconds, for rates and durations. */
  readonly clock?: (() => number) | undefined;
}
