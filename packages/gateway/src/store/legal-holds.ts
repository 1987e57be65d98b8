/**
 * The interface of legal holds.
 *
 * @module
 */
import type { StoredAuditRow } from "./store.js";

/** The data that a hold keeps: everything that fits all of its members; at least one of them is set. */
export interface HoldScope {
  readonly user?: string | undefined;
  readonly server?: string | undefined;
  /** Milliseconds since 1970, both inclusive. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** A legal hold. */
export interface LegalHold extends HoldScope {
  readonly id: string;
  readonly reason: string;
  /** Milliseconds since 1970. */
  readonly heldAt: number;
  /** Whether its end was requested, and is not in the audit log yet. Until then, it is in force. */
  readonly isEnding: boolean;
}

/**
 * The legal holds in a database.
 *
 * @example
 * ```ts source="./store.examples.ts#holds"
 * const hold = await store.holds.add({ user: "ann", reason: "case 4711" });
 * await store.audit.prune(Date.now());
 * // Her rows are no longer in the log, but in the database until the hold ends.
 * await store.holds.end(hold.id);
 * ```
 */
export interface LegalHolds {
  /**
   * Adds a hold. It is in force when this resolves, for everything that is not removed yet.
   *
   * @throws {GatewayError} `config-invalid` if it would hold everything, or nothing
   */
  add(hold: HoldScope & { reason: string }): Promise<LegalHold>;
  list(): Promise<LegalHold[]>;
  /** Ends a hold. Returns false if there is none of this id. */
  end(id: string): Promise<boolean>;
  /** The rows of the audit log that only holds keep, or of one hold: they are no longer in the log. */
  rows(of?: { id?: string | undefined }): AsyncIterable<StoredAuditRow>;
  /** Conversations that this hold keeps, also deleted ones: their own JSON, and that of their entries. */
  conversations(id: string): AsyncIterable<object>;
  /** Writes marks about holds that were added or ended, also by other processes. */
  record(): Promise<void>;
}
