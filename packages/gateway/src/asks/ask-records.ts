/**
 * Records requests of servers to users and models in the audit log, like calls.
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

/** A server of a user. */
export interface Asker {
  readonly user: string;
  readonly server: string;
  /** The server's identity. */
  readonly identity?: ServerIdentity | undefined;
}

/** Options of {@link AskRecords}. */
export interface AskRecordsOptions {
  readonly audit: AuditLog;
  /** The current settings. */
  readonly settings: { readonly audit: AuditSettings };
  readonly metrics?: GuardMetrics | undefined;
  /** Called with errors that no caller receives. */
  readonly onerror?: ((error: unknown) => void) | undefined;
  /** A monotonic clock in milliseconds. */
  readonly clock?: (() => number) | undefined;
}

/** Records the requests of servers. A flood of refusals is summarized in a few rows. */
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

  /** Opens the record of a server's request. */
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

  /** Writes the summaries of refusals. */
  flush(): Promise<void> {
    return this.#refusals.flush();
  }
}
