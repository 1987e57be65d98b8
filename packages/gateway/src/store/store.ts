/**
 * The interfaces of persistent data: the audit log, users' approvals, and their conversations.
 *
 * @module
 */

import type { KeptConversations } from "@vitrine/conversation";
import type { ConsentKey } from "@vitrine/guard";
import type { ToolVisibility } from "@vitrine/protocol";
import type { ServerIdentity } from "@vitrine/servers";
import type { KnownServers } from "./known-servers.js";
import type { LegalHolds } from "./legal-holds.js";
import type { OwnedUsers } from "./owned-users.js";

/** A call that is about to run, or was refused. Written before anything happens. */
export interface AuditEntry {
  /** The user. */
  user: string;
  /**
   * The origin: an app, the user at the host page, the model, a program over HTTP, a server, or the
   * operator.
   */
  actor: "view" | "host" | "model" | "http" | "server" | "operator";
  /** The view, if the call came from one. */
  view?: string | undefined;
  server: string;
  /** The server's identity: another server may take its name later. */
  identity?: ServerIdentity | undefined;
  method: string;
  /** The tool, the prompt, the resource's URI, or the link's host. */
  target?: string | undefined;
  /** The guard's decision. `refused` comes with a code, and nothing happens. */
  decision: "allowed" | "refused";
  /** The reason: `policy`, `remembered`, `asked`; or the code of a refusal. */
  reason: string;
  /** The caller's own key of this call: see {@link AuditLog.find}. */
  key?: string | undefined;
  paramsHash?: string | undefined;
  paramsSize?: number | undefined;
  /** Redacted JSON; only if the operator enables it. */
  params?: string | undefined;
  /** The trace id of the call: 32 hexadecimal digits. */
  trace?: string | undefined;
}

/** An event that nobody requested. */
export type AuditMark = Partial<Pick<AuditEntry, "user" | "server" | "identity" | "target" | "params">> &
  Pick<AuditEntry, "method" | "reason">;

/** How a call ended. */
export interface AuditOutcome {
  /** `indeterminate`: it is unknown whether the call ran. */
  outcome: "ok" | "failed" | "cancelled" | "indeterminate";
  code?: string | undefined;
  /** Milliseconds. */
  duration: number;
  resultHash?: string | undefined;
  resultSize?: number | undefined;
  result?: string | undefined;
}

/** A row: an entry, or the outcome of an earlier one. Rows are only appended. */
export interface StoredAuditRow extends Partial<AuditEntry>, Partial<AuditOutcome> {
  /** 1, 2, 3, … without gaps. */
  seq: number;
  /** Milliseconds since 1970. */
  time: number;
  kind: "entry" | "outcome" | "mark";
  /** For an outcome: the entry's `seq`. */
  of?: number | undefined;
  /** SHA-256 over the previous row's hash and this row, in hexadecimal digits. */
  hash: string;
}

/** Selects rows. */
export interface AuditQuery {
  user?: string | undefined;
  view?: string | undefined;
  server?: string | undefined;
  identity?: ServerIdentity | undefined;
  trace?: string | undefined;
  method?: string | undefined;
  decision?: AuditEntry["decision"] | undefined;
  outcome?: AuditOutcome["outcome"] | undefined;
  /** Milliseconds since 1970. */
  from?: number | undefined;
  to?: number | undefined;
  /** Only rows after this one. */
  after?: number | undefined;
  /** 100 by default, 1,000 at most. */
  limit?: number | undefined;
  newestFirst?: boolean | undefined;
}

/** The result of a verification of the chain. */
export type Verification =
  | { ok: true; rows: number; head: string }
  | { ok: false; rows: number; seq: number; message: string };

/** The end of the chain. Noted elsewhere, it shows later whether rows were removed from the end. */
export interface AuditHead {
  /** 0 before the first row. */
  readonly seq: number;
  readonly hash: string;
}

/** Options of {@link AuditLog.prune}. */
export interface PruneOptions {
  /** The folder that gets the rows first. */
  archive?: string | undefined;
}

/** The append-only log. */
export interface AuditLog {
  /**
   * Writes an entry, and resolves with its number when it is on disk: only then may the call run.
   * Simultaneous entries are committed together.
   *
   * @throws {VitrineError} `audit-failed` if it could not be written: then the call must not run
   */
  begin(entry: AuditEntry): Promise<number>;
  /**
   * Writes an outcome with one of the next commits. Never throws: failures are reported to `onalarm`, and
   * retried.
   */
  end(seq: number, outcome: AuditOutcome): void;
  /** Writes an event without a request or an outcome, such as that a server has changed. */
  mark(mark: AuditMark): Promise<number>;
  /** Resolves when all outcomes so far are on disk. */
  flush(): Promise<void>;
  /**
   * The record of a caller's key, for calls whose answer was lost. A call that may have run takes precedence
   * over one that was cancelled before its effect.
   */
  find(
    user: string,
    key: string,
  ): Promise<{ entry: StoredAuditRow; outcome?: StoredAuditRow | undefined } | undefined>;
  /**
   * Whether there may be a key that starts with `series` and a dot, of any user. False means that every such
   * key is new, which saves a {@link find} for each of them.
   */
  mayHaveSeries(series: string): Promise<boolean>;
  query(query: AuditQuery): Promise<StoredAuditRow[]>;
  /** Every row in order, for export. */
  rows(query?: Omit<AuditQuery, "limit" | "newestFirst">): AsyncIterable<StoredAuditRow>;
  /**
   * The time before which entries may be missing, in milliseconds since 1970: they were pruned, or lost and
   * that was accepted. 0 if none is missing; infinity while {@link isIncomplete}.
   */
  missingBefore(): Promise<number>;
  /** Whether the chain is broken and this was not accepted: calls may have run whose entries are missing. */
  readonly isIncomplete: boolean;
  /**
   * Verifies the whole chain, and the rows that legal holds keep; if a head was noted earlier, that its row still
   * exists; and with an `archive`, its files, and that the rows of the database continue them.
   */
  verify(noted?: AuditHead, options?: PruneOptions): Promise<Verification>;
  /**
   * Removes rows older than `before`, from the oldest on, and leaves a mark from which the chain continues. With an
   * `archive`, a folder, rows are removed only after they are stored there. Rows that a legal hold keeps are copied
   * to another table.
   *
   * @throws {GatewayError} `audit-failed` if they cannot be stored there: then they are not removed
   */
  prune(before: number, options?: PruneOptions): Promise<number>;
  /**
   * Accepts a chain that was found broken at the start, so that it is written again. The broken part stays
   * unchanged, and a mark records who accepted it. Returns the number of breaks.
   */
  acceptBrokenChain(by: string): Promise<number>;
  /** The last row on disk. */
  readonly head: AuditHead;
  /** Whether it can be written. */
  readonly healthy: boolean;
  /** Rows that are not on disk yet; for metrics. */
  readonly waiting: number;
}

/** The key of a stored answer. */
export interface ServerConsentKey extends ConsentKey {
  /** The server's identity. Answers from before identities existed have none. */
  readonly identity?: ServerIdentity | undefined;
  /** The caller of the tools: apps of the server, or the model. Only for `tools/call`; other methods are only for apps. */
  readonly actor?: ToolVisibility | undefined;
}

/** A stored answer of a user. */
export interface ConsentRecord extends ServerConsentKey {
  user: string;
  /** `ask-…`: the level of a server's apps, which is stored like an answer; see `AskLevels`. */
  answer: "allow" | "deny" | "ask-always" | "ask-changes";
  /** Milliseconds since 1970. */
  grantedAt: number;
  expiresAt?: number | undefined;
}

/** An answer that ends with a browser session or a view, and is not stored. */
export type SessionConsent = Pick<
  ConsentRecord,
  "server" | "method" | "subject" | "actor" | "answer" | "grantedAt"
>;

/** Stored approvals of users. */
export interface UserConsentStore {
  /** The answer for exactly this key, if it has not expired. */
  get(user: string, key: ServerConsentKey, now: number): Promise<ConsentRecord["answer"] | undefined>;
  /** Stores an answer, and replaces one for another fingerprint. */
  set(record: ConsentRecord): Promise<void>;
  list(user: string): Promise<ConsentRecord[]>;
  /** Forgets copies in memory. Call it when this node becomes the owner of users: another one may have changed answers. */
  reload?(): void;
  /** Revokes answers: all of a name, all of a server, or one. Returns their number. */
  revoke(user: string, key: Partial<ServerConsentKey> & { server: string }): Promise<number>;
}

/**
 * Small results of calls, so that a repeated key gets its answer after a restart. Limited in size, number and
 * time.
 */
export interface KeptResults {
  /**
   * Stores the result of the call with this audit entry, soon. A result that is too large, or cannot be
   * written, is dropped.
   */
  keep(seq: number, json: string): void;
  /** The JSON of the result, if it was stored and has not expired. */
  find(seq: number): Promise<string | undefined>;
  /** Removes all results. */
  clear(): Promise<void>;
}

/** The database. */
export interface GatewayStore {
  readonly audit: AuditLog;
  readonly holds: LegalHolds;
  readonly results: KeptResults;
  readonly consents: UserConsentStore;
  readonly servers: KnownServers;
  readonly conversations: KeptConversations;
  /** Returns unused space of SQLite's file to the file system, in small steps, while others work. */
  shrink(): Promise<void>;
  /**
   * Rewrites SQLite's file without unused space, and so that {@link shrink} works on it. Blocks the process.
   * Resolves with false for PostgreSQL.
   */
  compact(): Promise<boolean>;
  /** Of a node: which users it has, and which other nodes have the others. */
  readonly nodes?: OwnedUsers | undefined;
  close(): Promise<void>;
}

/** Called when something cannot be written, and when it works again. */
export type OnAlarm = (alarm: { active: boolean; message: string; cause?: unknown }) => void;
