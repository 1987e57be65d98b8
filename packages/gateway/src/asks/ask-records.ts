/**
 * What was asked of people and models is on record, as calls are.
 *
 * @module
 */

import { recordOf } from "@vitrine/protocol";
import type { ServerIdentity } from "@vitrine/servers";
import type { AuditSettings } from "../config/config.js";
import { CallRecord } from "../guard/call-record.js";
import type { GuardMetrics } from "../guard/guard-options.js";
import type { GuardedCall } from "../guard/guarded-call.js";
import { RefusalLog } from "../guard/refusal-log.js";
import type { AuditLog } from "../store/store.js";

/** A server of a user's. */
export interface Asker {
  readonly user: string;
  readonly server: string;
  /** Which server it is. */
  readonly identity?: ServerIdentity | undefined;
}

/** Where it is recorded. */
export interface AskRecordsOptions {
  readonly audit: AuditLog;
  /** As they are now. */
  readonly settings: { readonly audit: AuditSettings };
  readonly metrics?: GuardMetrics | undefined;
  /** Hears what failed and nobody is told. */
  readonly onerror?: ((error: unknown) => void) | undefined;
  /** Milliseconds that never go back. */
  readonly clock?: (() => number) | undefined;
}

/** The records of what servers ask. A flood of refusals is a few rows. */
export class AskRecords {
  readonly #options: AskRecordsOptions;
  readonly #refusals: RefusalLog;

  constructor(options: AskRecordsOptions) {
    this.#options = options;
    this.#refusals = new RefusalLog({
      write: async (entry) => options.audit.begin(entry),
      onerror: (error) => options.onerror?.(error),
    });
  }

  /** The record of one question of a server's. */
  open({ user, server, identity }: Asker, method: string, params: unknown, signal: AbortSignal): CallRecord {
    const { audit, settings, metrics = {}, clock, onerror } = this.#options;
    const call: GuardedCall = {
      actor: "server",
      user,
      view: "",
      server,
      method,
      signal,
      params: recordOf(params),
    };
    return new CallRecord(call, {
      server,
      identity,
      audit,
      settings,
      refusals: this.#refusals,
      metrics,
      clock: clock ?? (() => performance.now()),
      onerror: (error) => onerror?.(error),
    });
  }

  /** Writes what was only counted. */
  flush(): Promise<void> {
    return this.#refusals.flush();
  }
}
