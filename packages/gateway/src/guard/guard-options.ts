/**
 * What a guard stands on.
 *
 * @module
 */
import type { Answer, Question } from "@vitrine/guard";
import type { Server } from "@vitrine/servers";
import type { GatewaySettings } from "../config/config.js";
import type { AuditOutcome, Store } from "../store/store.js";
import type { FindView, GuardedCall } from "./guarded-call.js";
import type { Idempotency } from "./idempotency.js";
import type { Remember } from "./policy.js";

/**
 * Asks the person at the page of `question.view`; for a program over HTTP that is `http:` and the name that it gave, and
 * no view. `remember` says which answers can be remembered.
 */
export type GatewayAsk = (
  question: Question,
  remember: Remember[],
  signal: AbortSignal,
) => Answer | Promise<Answer>;

/** What is counted. What throws here stops nothing. */
export interface GuardMetrics {
  /**
   * A call was let through (`policy`, `remembered`, `asked`), or refused with its code. The size of its params is there
   * if it was recorded.
   */
  decided?(
    call: GuardedCall,
    decision: "allowed" | "refused",
    reason: string,
    paramsSize: number | undefined,
  ): void;
  /** A call that was let through is over; the duration is in milliseconds, with their parts. */
  ended?(call: GuardedCall, outcome: AuditOutcome["outcome"], duration: number, resultSize: number): void;
}

/** Options of {@link gatewayGuard}. */
export interface GatewayGuardOptions {
  readonly server: Server;
  readonly user: string;
  readonly settings: Pick<GatewaySettings, "policy" | "strict" | "audit">;
  readonly store: Pick<Store, "audit" | "consents"> & Partial<Pick<Store, "results">>;
  /** Finds the views of this user on this server. */
  readonly views: FindView;
  /** Without it, what would be asked is denied. */
  readonly ask?: GatewayAsk | undefined;
  /** One for the whole gateway: keys are a user's, not a server's. Without it every guard has its own. */
  readonly idempotency?: Idempotency | undefined;
  readonly metrics?: GuardMetrics | undefined;
  /** Hears what failed in the guard and the caller is not told. */
  readonly onerror?: ((error: unknown) => void) | undefined;
  /** Milliseconds since 1970, for what expires. */
  readonly now?: (() => number) | undefined;
  /** Milliseconds that never go back, for rates and durations. */
  readonly clock?: (() => number) | undefined;
}
