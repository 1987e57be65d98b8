/**
 * Access of users to the audit log. Verifications and exports read all of it, so few of them run at a time.
 *
 * @module
 */
import { GatewayError } from "@vitrine/wire";
import type { AuditLog, AuditQuery, StoredAuditRow, Verification } from "../store/store.js";

/** Exports of a user, and of all users, at a time. */
const EXPORTS = { perUser: 1, total: 4 };
/** Seconds after which a refused export is worth another attempt. */
const RETRY_AFTER = 10;
/** Milliseconds for which an export waits for its reader; then the place is free for others. */
const STALLED = 60_000;

/** Limits and shares the expensive operations on the log. */
export class AuditAccess {
  readonly #audit: Pick<AuditLog, "rows" | "verify">;
  readonly #exports = new Map<string, number>();
  readonly #stalled: number;
  #total = 0;
  #verifying: Promise<Verification> | undefined;

  /** @param stalled milliseconds for which an export waits for its reader; a minute by default */
  constructor(audit: Pick<AuditLog, "rows" | "verify">, stalled = STALLED) {
    this.#audit = audit;
    this.#stalled = stalled;
  }

  /** Verifies the whole log. Callers that ask while a verification runs get its result. */
  verify(): Promise<Verification> {
    return (this.#verifying ??= this.#audit.verify().finally(() => {
      this.#verifying = undefined;
    }));
  }

  /**
   * A user's rows, for an export.
   *
   * @throws {GatewayError} `overloaded` if too many exports are running; also if its reader does not read
   */
  async *rows(user: string, query: AuditQuery): AsyncGenerator<StoredAuditRow> {
    const own = this.#exports.get(user) ?? 0;
    if (own >= EXPORTS.perUser) throw busy("your previous export is still running");
    if (this.#total >= EXPORTS.total) throw busy("other users are exporting");
    this.#exports.set(user, own + 1);
    this.#total++;
    let isOver = false;
    const release = (): void => {
      if (isOver) return;
      isOver = true;
      this.#total--;
      const left = (this.#exports.get(user) ?? 1) - 1;
      if (left > 0) this.#exports.set(user, left);
      else this.#exports.delete(user);
    };
    let timer: NodeJS.Timeout | undefined;
    try {
      for await (const row of this.#audit.rows({ ...query, user })) {
        // A timer for each row would cost more than the row.
        timer ??= setTimeout(release, this.#stalled).unref();
        yield row;
        timer.refresh();
        if (isOver) throw busy("the reader of this export did not read");
      }
    } finally {
      clearTimeout(timer);
      release();
    }
  }
}

const busy = (why: string): GatewayError =>
  new GatewayError("overloaded", `the audit log is busy: ${why}. Try again later`, {
    data: { retryAfter: RETRY_AFTER },
  });
