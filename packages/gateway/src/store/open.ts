/**
 * Opens the database of a gateway.
 *
 * @module
 */
import { resolve } from "node:path";
import { messageOf } from "@vitrine/servers/support";
import { GatewayError } from "@vitrine/wire";
import { StoredAuditLog } from "./audit-log.js";
import { readHead } from "./audit-reader.js";
import { AuditWriter } from "./audit-writer.js";
import type { Engine } from "./engine.js";
import { headFile, NotedHead } from "./noted-head.js";
import { migrate } from "./schema.js";
import { openSqlite } from "./sqlite.js";
import type { AuditHead, OnAlarm, Store } from "./store.js";
import { StoredConsents } from "./stored-consents.js";
import { StoredConversations } from "./stored-conversations.js";
import { StoredResults } from "./stored-results.js";
import { StoredServers } from "./stored-servers.js";

/** Rows that are checked at the start, at most. */
const CHECKED_AT_START = 100_000;

/** Options of {@link openStore}. */
export interface StoreOptions {
  /** Hears that the audit log cannot be written, once, and that it can again. */
  onalarm?: OnAlarm | undefined;
  /** Hears how long each commit of the audit log took, in seconds. */
  oncommit?: ((seconds: number) => void) | undefined;
  /** Milliseconds since 1970; the system's clock by default. */
  now?: (() => number) | undefined;
  /** Who accepts that the chain is broken, if it is. Without it nothing is written until `acceptBrokenChain`. */
  acceptBrokenChain?: string | undefined;
  /** The end of the chain as it was noted elsewhere. If its row is not there, the chain counts as broken. */
  noted?: AuditHead | undefined;
  /**
   * Where the end of PostgreSQL's log is noted, to show at the next start that rows are missing; SQLite's is noted beside
   * its file.
   */
  folder?: string | undefined;
  /** Milliseconds to wait for another gateway to let go of the database; 2,000 by default. */
  patience?: number | undefined;
  /** Milliseconds after which a commit that PostgreSQL does not answer counts as lost; 10,000 by default. */
  commitTimeout?: number | undefined;
  /** Rows that may wait to be written, and their bytes: with more, calls are refused. 10,000 and 64 MB by default. */
  maxWaiting?: number | undefined;
  maxWaitingBytes?: number | undefined;
}

/**
 * Opens `sqlite:/path/to/file`, `sqlite::memory:` or `postgres://…`, brings its tables to the newest form, checks the
 * chain of its audit log, and records what was cut off by a crash as `indeterminate`.
 *
 * If the chain is broken the store opens, so that it can be looked into; but nothing can be recorded, and so nothing can
 * be done, until somebody accepts it.
 *
 * @throws {GatewayError} `config-invalid` when the database cannot be opened, or is in use by another gateway
 * @example
 * ```ts source="./store.examples.ts#openStore"
 * const store = await openStore(`sqlite:${file}`, {
 *   onalarm: ({ active, message }) => page(`${active ? "ALARM" : "over"}: ${message}`),
 * });
 * const seq = await store.audit.begin({
 *   user: "ann",
 *   actor: "http",
 *   server: "shop",
 *   method: "tools/call",
 *   target: "order",
 *   decision: "allowed",
 *   reason: "policy",
 * });
 * // It is on disk. Now it may happen.
 * store.audit.end(seq, { outcome: "ok", duration: 12 });
 * await store.close();
 * ```
 */
export async function openStore(url: string, options: StoreOptions = {}): Promise<Store> {
  const { patience = 2000, commitTimeout = 10_000 } = options;
  let engine: Engine | undefined;
  let noted: NotedHead | undefined;
  try {
    engine = await openEngine(url, { patience, commitTimeout });
    const file = headFile(url, options.folder);
    noted = file === undefined ? undefined : new NotedHead(file);
    return await openOn(engine, noted, options);
  } catch (error) {
    noted?.close();
    await engine?.close();
    throw unusable(url, error);
  }
}

/** The name of a database goes into messages, a password does not. */
function unusable(url: string, error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  const name = url.replace(/^(postgres(?:ql)?:\/\/)(?:[^@/]*@)?([^?]*).*$/, "$1$2");
  return new GatewayError("config-invalid", `cannot use the database ${name}: ${messageOf(error)}`, {
    cause: error,
  });
}

async function openEngine(
  url: string,
  options: { patience: number; commitTimeout: number },
): Promise<Engine> {
  // Its driver is a tenth of what the gateway loads, and most have none.
  if (/^postgres(?:ql)?:\/\//.test(url)) return (await import("./postgres.js")).openPostgres(url, options);
  const path = /^sqlite:(?:\/\/)?(.+)$/.exec(url)?.[1];
  if (!path) {
    const message = `"${url.split(":")[0]}:" is no database of the gateway: use sqlite:/path/to/file or postgres://…`;
    throw new GatewayError("config-invalid", message);
  }
  return openSqlite(path === ":memory:" ? path : resolve(path), options.patience);
}

async function openOn(engine: Engine, noted: NotedHead | undefined, options: StoreOptions): Promise<Store> {
  await migrate(engine.db, engine.kind);
  const servers = await StoredServers.open(engine);
  const consents = new StoredConsents(engine, servers);
  const writer = new AuditWriter(engine, await readHead(engine), {
    now: options.now ?? Date.now,
    onalarm: options.onalarm ?? (() => {}),
    oncommit: options.oncommit,
    onhead: (head) => noted?.note(head),
    limits: { waiting: options.maxWaiting ?? 10_000, weight: options.maxWaitingBytes ?? 64_000_000 },
    readHead: () => readHead(engine),
    onregained: async () => {
      consents.reload();
      await servers.reload();
    },
  });
  const audit = new StoredAuditLog(engine, writer);
  const found = await audit.verifyStart(CHECKED_AT_START, [options.noted, noted?.before]);
  if (found.ok) {
    noted?.note(audit.head);
    await audit.start();
  } else {
    writer.break(
      `the audit log is broken: ${found.message}. Nothing is recorded, and so nothing is done, until somebody accepts it with "vitrine-gateway audit accept-broken-chain"`,
    );
    if (options.acceptBrokenChain !== undefined) await audit.acceptBrokenChain(options.acceptBrokenChain);
  }
  const conversations = new StoredConversations(engine);
  const results = new StoredResults(engine, options.now ?? Date.now);
  let closed: Promise<void> | undefined;
  const close = async () => {
    await conversations.close();
    await results.close();
    await audit.close();
    noted?.close();
    await engine.close();
  };
  return { audit, results, consents, servers, conversations, close: () => (closed ??= close()) };
}
