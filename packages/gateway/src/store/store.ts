/**
 * What outlives the process: the audit log, what people agreed to, and their conversations.
 *
 * @module
 */

import type { KeptConversations } from "@vitrine/conversation";
import type { ConsentKey } from "@vitrine/guard";
import type { ServerIdentity } from "@vitrine/servers";

/** What is about to happen, or was refused: written before anything happens. */
export interface AuditEntry {
  /** Who: the user. */
  user: string;
  /** On whose behalf: an app, the person at the host page, the model, another program over HTTP, a server, or the operator. */
  actor: "view" | "host" | "model" | "http" | "server" | "operator";
  /** The view's instance, if it was a view. */
  view?: string | undefined;
  server: string;
  /** Which server it was; another one may have its name later. */
  identity?: ServerIdentity | undefined;
  method: string;
  /** The tool, the prompt, the resource's URI, or the link's host. */
  target?: string | undefined;
  /** What the guard said: `refused` comes with its code, and nothing happens. */
  decision: "allowed" | "refused";
  /** Why: `policy`, `remembered`, `asked`; or the code of a refusal. */
  reason: string;
  /** The caller's own name for this call: see {@link AuditLog.find}. */
  key?: string | undefined;
  paramsHash?: string | undefined;
  paramsSize?: number | undefined;
  /** JSON, redacted; only by the operator's choice. */
  params?: string | undefined;
}

/** Something that happened of itself. */
export type AuditMark = Partial<Pick<AuditEntry, "user" | "server" | "identity" | "target" | "params">> &
  Pick<AuditEntry, "method" | "reason">;

/** How it ended. */
export interface AuditOutcome {
  /** `indeterminate`: nobody knows whether it happened. */
  outcome: "ok" | "failed" | "cancelled" | "indeterminate";
  code?: string | undefined;
  /** Milliseconds. */
  duration: number;
  resultHash?: string | undefined;
  resultSize?: number | undefined;
  result?: string | undefined;
}

/** A row: an entry, or the outcome of an earlier one. Rows are only ever added. */
export interface AuditRow extends Partial<AuditEntry>, Partial<AuditOutcome> {
  /** 1, 2, 3, … without a gap. */
  seq: number;
  /** Milliseconds since 1970. */
  time: number;
  kind: "entry" | "outcome" | "mark";
  /** Of an outcome: the entry's `seq`. */
  of?: number | undefined;
  /** SHA-256 over the row before it and this one, in hexadecimal digits. */
  hash: string;
}

/** Which rows. */
export interface AuditQuery {
  user?: string | undefined;
  view?: string | undefined;
  server?: string | undefined;
  identity?: ServerIdentity | undefined;
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

/** What a check of the chain found. */
export type Verification =
  | { ok: true; rows: number; head: string }
  | { ok: false; rows: number; seq: number; message: string };

/** The end of the chain. Noted elsewhere, it shows later whether rows were cut off the end. */
export interface AuditHead {
  /** 0 before the first row. */
  readonly seq: number;
  readonly hash: string;
}

/** The append-only record. */
export interface AuditLog {
  /**
   * Writes what is about to happen, and resolves with its number when it is on disk: only then may it happen. Entries
   * that come together are committed together.
   *
   * @throws {VitrineError} `audit-failed` when it could not be written: then nothing may happen
   */
  begin(entry: AuditEntry): Promise<number>;
  /** Writes how it ended, with the next commit or soon. Never throws: what fails is told to `onalarm`, and tried again. */
  end(seq: number, outcome: AuditOutcome): void;
  /** Writes what nobody asked for, and has no outcome: that a server is not what it was. */
  mark(mark: AuditMark): Promise<number>;
  /** Resolves when all that was ended is on disk. */
  flush(): Promise<void>;
  /**
   * What was recorded under a caller's key; for calls whose answer was lost. A call that may have run comes before one
   * that was cancelled before its effect.
   */
  find(user: string, key: string): Promise<{ entry: AuditRow; outcome?: AuditRow | undefined } | undefined>;
  /**
   * Whether a key that begins with `series` and a dot may be on record, whoever's it is. False means that every such key is
   * new, which spares a {@link find} for each of them.
   */
  mayHaveSeries(series: string): Promise<boolean>;
  query(query: AuditQuery): Promise<AuditRow[]>;
  /** Every row in order, for export. */
  rows(query?: Omit<AuditQuery, "limit" | "newestFirst">): AsyncIterable<AuditRow>;
  /**
   * Entries that were made before this time may be missing, in milliseconds since 1970: they were pruned, or lost and
   * somebody accepted that. 0 if none is missing; infinity while {@link isIncomplete}.
   */
  missingBefore(): Promise<number>;
  /** The chain is broken, and nobody has accepted that: calls may have run whose entries are missing. */
  readonly isIncomplete: boolean;
  /** Checks the whole chain, and, if a head was noted once, that its row is still there. */
  verify(noted?: AuditHead): Promise<Verification>;
  /** Removes rows older than `before`, all from the oldest on, and leaves a mark from which the chain goes on. */
  prune(before: number): Promise<number>;
  /**
   * The chain was found broken at the start, and somebody looked into it: from here on it is written again. What was
   * broken stays as it is, and a mark says who accepted it. Returns how many breaks there were.
   */
  acceptBrokenChain(by: string): Promise<number>;
  /** The last row that is on disk. */
  readonly head: AuditHead;
  /** Whether it can be written to. */
  readonly healthy: boolean;
  /** Rows that are not on disk yet; for metrics. */
  readonly waiting: number;
}

/** A server: what people call it, and which one it is. */
export interface ServerKey {
  readonly name: string;
  readonly identity: ServerIdentity;
}

/** What an answer is kept by. */
export interface ServerConsentKey extends ConsentKey {
  /** Which server it is. An answer of before there were identities has none. */
  readonly identity?: ServerIdentity | undefined;
}

/** An answer of a person, kept. */
export interface ConsentRecord extends ServerConsentKey {
  user: string;
  answer: "allow" | "deny";
  /** Milliseconds since 1970. */
  grantedAt: number;
  expiresAt?: number | undefined;
}

/** What people agreed to. */
export interface Consents {
  /** The answer for this very key, if it has not expired. */
  get(user: string, key: ServerConsentKey, now: number): Promise<ConsentRecord["answer"] | undefined>;
  /** Keeps an answer, in place of one for another fingerprint. */
  set(record: ConsentRecord): Promise<void>;
  list(user: string): Promise<ConsentRecord[]>;
  /** Takes answers back: all for a name, all of one server, or one. Returns how many. */
  revoke(user: string, key: Partial<ServerConsentKey> & { server: string }): Promise<number>;
}

/** A server got a name. */
export interface ServerChange extends ServerKey {
  /**
   * `replaced`: another server had the name before. `back`: so did this one, earlier, and its data is there again. `inherited`: it is the
   * first server of the name, and the name's data from before identities is its own.
   */
  readonly kind: "replaced" | "back" | "inherited";
}

/** A server took over a name: a person must be told. */
export interface ServerNews extends ServerKey {
  readonly kind: Exclude<ServerChange["kind"], "inherited">;
}

/**
 * Which servers have had which names. Data of one server is never given to another one of its name. Rows that are older than
 * identities belong to the first server that is seen under their name, its heir.
 */
export interface KnownServers {
  /** Notes which servers there are now. Resolves, when that is on disk, with those that took a name over or inherit its data. */
  take(servers: Iterable<ServerKey>): Promise<ServerChange[]>;
  /** Resolves when all that was taken is on disk; tries again to write what could not be written, and rejects if that fails. */
  settled(): Promise<void>;
  /** Hears of changes that {@link take} could not write, and {@link settled} did. */
  onlate: (changes: readonly ServerChange[]) => void;
  /** Whether rows of this name without an identity are this server's. */
  isHeir(server: ServerKey): boolean;
  /** Servers that have a name which they took over, and that no person was told of: by this process or an earlier one. */
  untold(): ServerNews[];
  /** A person was told. */
  told(server: ServerKey): Promise<void>;
}

/** Small results of calls, so that a repeated key gets its answer after a restart. Bounded in size, number and time. */
export interface KeptResults {
  /**
   * Keeps the result of the call with this audit entry, soon. One that is too large, or cannot be written, is not kept.
   */
  keep(seq: number, json: string): void;
  /** The JSON of the result, if it was kept and has not expired. */
  find(seq: number): Promise<string | undefined>;
  /** Removes all of them. */
  clear(): Promise<void>;
}

/** The database. */
export interface Store {
  readonly audit: AuditLog;
  readonly results: KeptResults;
  readonly consents: Consents;
  readonly servers: KnownServers;
  readonly conversations: KeptConversations;
  close(): Promise<void>;
}

/** Hears that something could not be written, and that it works again. */
export type OnAlarm = (alarm: { active: boolean; message: string; cause?: unknown }) => void;
