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
import type { DatabaseEngine } from "./engine.js";
import { headFile, NotedHead } from "./noted-head.js";
import { migrate } from "./schema.js";
import { openSqlite } from "./sqlite.js";
import type { AuditHead, GatewayStore, OnAlarm } from "./store.js";
import { StoredConsents } from "./stored-consents.js";
import { StoredConversations } from "./stored-conversations.js";
import { StoredResults } from "./stored-results.js";
import { StoredServers } from "./stored-servers.js";

/** Maximum rows that are checked at the start. */
const CHECKED_AT_START = 100_000;

/** Options of {@link openStore}. */
export interface StoreOptions {
  /** Called once when the audit log cannot be written, and when it can again. */
  onalarm?: OnAlarm | undefined;
  /** Called with the duration of each commit of the audit log, in seconds. */
  oncommit?: ((seconds: number) => void) | undefined;
  /** Milliseconds since 1970; the system's clock by default. */
  now?: (() => number) | undefined;
  /**
   * The name of the operator who accepts a broken chain. Without it, nothing is written until
   * `acceptBrokenChain`.
   */
  acceptBrokenChain?: string | undefined;
  /** The end of the chain as noted elsewhere. If its row is missing, the chain counts as broken. */
  noted?: AuditHead | undefined;
  /**
   * The folder for the note of PostgreSQL's last row, which shows missing rows at the next start; SQLite's is
   * beside its file.
   */
  folder?: string | undefined;
  /** Milliseconds to wait for another gateway to release the database; 2,000 by default. */
  ownerTimeout?: number | undefined;
  /** Milliseconds after which a commit that PostgreSQL does not answer counts as lost; 10,000 by default. */
  commitTimeout?: number | undefined;
  /**
   * Maximum rows in the write queue, and their bytes: beyond it, calls are refused. 10,000 and 64 MB by
   * default.
   */
  maxWaiting?: number | undefined;
  maxWaitingBytes?: number | undefined;
}

/**
 * Opens `sqlite:/path/to/file`, `sqlite::memory:` or `postgres://…`, migrates its tables, verifies the chain
 * of its audit log, and records calls that a crash interrupted as `indeterminate`.
 *
 * If the chain is broken, the store opens for examination; but nothing can be recorded, and therefore no call
 * can be made, until the break is accepted.
 *
 * @throws {GatewayError} `config-invalid` if the database cannot be opened, or is in use by another gateway
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
 * // The entry is on disk: make the call now.
 * store.audit.end(seq, { outcome: "ok", duration: 12 });
 * await store.close();
 * ```
 */
export async function openStore(url: string, options: StoreOptions = {}): Promise<GatewayStore> {
  const { ownerTimeout = 2000, commitTimeout = 10_000 } = options;
  let engine: DatabaseEngine | undefined;
  let noted: NotedHead | undefined;
  try {
    engine = await openEngine(url, { ownerTimeout, commitTimeout });
    const file = headFile(url, options.folder);
    noted = file === undefined ? undefined : new NotedHead(file);
    return await openOn(engine, noted, options);
  } catch (error) {
    noted?.close();
    await engine?.close();
    throw unusable(url, error);
  }
}

/** Messages contain the name of a database, but no password. */
function unusable(url: string, error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  const name = url.replace(/^(postgres(?:ql)?:\/\/)(?:[^@/]*@)?([^?]*).*$/, "$1$2");
  return new GatewayError("config-invalid", `cannot use the database ${name}: ${messageOf(error)}`, {
    cause: error,
  });
}

async function openEngine(
  url: string,
  options: { ownerTimeout: number; commitTimeout: number },
): Promise<DatabaseEngine> {
  // Loaded on demand: the driver is a tenth of the gateway's code, and most gateways do not use it.
  if (/^postgres(?:ql)?:\/\//.test(url)) return (await import("./postgres.js")).openPostgres(url, options);
  const path = /^sqlite:(?:\/\/)?(.+)$/.exec(url)?.[1];
  if (!path) {
    const message = `"${url.split(":")[0]}:" is not a supported database: use sqlite:/path/to/file or postgres://…`;
    throw new GatewayError("config-invalid", message);
  }
  return openSqlite(path === ":memory:" ? path : resolve(path), options.ownerTimeout);
}

async function openOn(
  engine: DatabaseEngine,
  noted: NotedHead | undefined,
  options: StoreOptions,
): Promise<GatewayStore> {
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
      `the audit log is broken: ${found.message}. Nothing can be recorded, so no call can be made, until you accept it with "vitrine-gateway audit accept-broken-chain"`,
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
