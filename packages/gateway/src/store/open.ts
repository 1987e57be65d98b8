/**
 * Opens the database of a gateway.
 *
 * @module
 */
import { resolve } from "node:path";
import { messageOf } from "@vitrine/servers/support";
import { GatewayError } from "@vitrine/wire";
import { AuditChains } from "./audit-chains.js";
import { StoredAuditLog } from "./audit-log.js";
import { readHead } from "./audit-reader.js";
import { AuditWriter } from "./audit-writer.js";
import { BALANCE_AFTER } from "./balance.js";
import { FIRST_SLOT } from "./chains.js";
import type { DatabaseEngine } from "./engine.js";
import { StoredHolds } from "./holds.js";
import type { JoinedNode } from "./joined-node.js";
import type { LegalHolds } from "./legal-holds.js";
import { migrate } from "./migrations.js";
import { headFile, NotedHead } from "./noted-head.js";
import type { NodeIdentity } from "./owned-users.js";
import { rest } from "./pace.js";
import { restoreSlots, settleAll, settleSlot } from "./settle.js";
import { openSqlite } from "./sqlite.js";
import type { AuditHead, GatewayStore, OnAlarm } from "./store.js";
import { StoredConsents } from "./stored-consents.js";
import { StoredConversations } from "./stored-conversations.js";
import { StoredResults } from "./stored-results.js";
import { StoredServers } from "./stored-servers.js";
import { ANCHOR, UserOwnership } from "./user-ownership.js";

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
  /**
   * Makes this process a node: others share the database. Only with PostgreSQL.
   */
  join?: NodeIdentity | undefined;
  /**
   * Milliseconds without a change among the nodes before users move to a node that has fewer; 30,000 by default, 0 for never.
   */
  balanceAfter?: number | undefined;
  /** Milliseconds between anchors, which a node writes into its chain; 60,000 by default. */
  anchorEvery?: number | undefined;
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
  let member: JoinedNode | undefined;
  try {
    const isShared = options.join !== undefined;
    engine = await openEngine(url, { ownerTimeout, commitTimeout, isShared });
    const file = headFile(url, options.folder);
    noted = file === undefined ? undefined : new NotedHead(file);
    await migrate(engine.db, engine.kind);
    member = options.join && (await joinNodes(url, options.join));
    return await openOn(engine, noted, member, options);
  } catch (error) {
    noted?.close();
    await member?.leave();
    await engine?.close();
    await member?.close();
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
  options: { ownerTimeout: number; commitTimeout: number; isShared: boolean },
): Promise<DatabaseEngine> {
  // Loaded on demand: the driver is a tenth of the gateway's code, and most gateways do not use it.
  if (/^postgres(?:ql)?:\/\//.test(url)) return (await import("./postgres.js")).openPostgres(url, options);
  if (options.isShared)
    throw new GatewayError(
      "config-invalid",
      'several nodes need a PostgreSQL database that all of them reach: set "database" to postgres://…',
    );
  const path = /^sqlite:(?:\/\/)?(.+)$/.exec(url)?.[1];
  if (!path) {
    const message = `"${url.split(":")[0]}:" is not a supported database: use sqlite:/path/to/file or postgres://…`;
    throw new GatewayError("config-invalid", message);
  }
  return openSqlite(path === ":memory:" ? path : resolve(path), options.ownerTimeout);
}

/** Joins the nodes of the database, which were migrated before. */
async function joinNodes(url: string, identity: NodeIdentity): Promise<JoinedNode> {
  return (await import("./joined-node.js")).JoinedNode.join(url, identity);
}

async function openOn(
  engine: DatabaseEngine,
  noted: NotedHead | undefined,
  member: JoinedNode | undefined,
  options: StoreOptions,
): Promise<GatewayStore> {
  const now = options.now ?? Date.now;
  const slot = member?.grant.slot ?? FIRST_SLOT;
  engine.grant = member?.grant;
  member?.onLapsed(() => engine.cut?.());
  // A gateway alone follows nodes that were stopped or lost.
  if (!member && engine.kind === "postgres") await settleAll(engine, now);
  const servers = await StoredServers.open(engine);
  const consents = new StoredConsents(engine, servers);
  const writer = new AuditWriter(engine, await readHead(engine, slot), {
    now,
    onalarm: options.onalarm ?? (() => {}),
    oncommit: options.oncommit,
    onhead: (head) => noted?.note(head),
    limits: { waiting: options.maxWaiting ?? 10_000, weight: options.maxWaitingBytes ?? 64_000_000 },
    readHead: () => readHead(engine, slot),
    onregained: async () => {
      consents.reload();
      await servers.reload();
    },
  });
  const holds: LegalHolds = new StoredHolds(engine, now, { mark: (mark) => own.mark(mark) });
  const mayAct = member && ((user: string) => member.holds(user));
  const own =
    engine.kind === "postgres"
      ? new AuditChains({ engine, holds, now }, writer, mayAct)
      : new StoredAuditLog(engine, writer, holds, mayAct);
  const found = await own.verifyStart(CHECKED_AT_START, [options.noted, noted?.before]);
  if (found.ok) {
    noted?.note(own.head);
    await own.start();
  } else {
    writer.break(
      `the audit log is broken: ${found.message}. Nothing can be recorded, so no call can be made, until you accept it with "vitrine-gateway audit accept-broken-chain"`,
    );
    if (options.acceptBrokenChain !== undefined) await own.acceptBrokenChain(options.acceptBrokenChain);
  }
  const conversations = new StoredConversations(
    engine,
    holds,
    now,
    member && ((user) => member.isElsewhere(user)),
  );
  const results = new StoredResults(engine, now);
  const nodes =
    member &&
    new UserOwnership({
      member,
      restore: () => restoreSlots(engine.db),
      settle: (lost) => settleSlot(engine, lost, now),
      anchor: async () => (own instanceof AuditChains ? own.anchor() : undefined),
      ontaken: async () => {
        consents.reload();
        await servers.reload();
      },
      balanceAfter: options.balanceAfter ?? BALANCE_AFTER,
      anchorEvery: options.anchorEvery ?? ANCHOR,
    });
  let closed: Promise<void> | undefined;
  const close = async () => {
    nodes?.endDuties();
    await conversations.close();
    await results.close();
    await own.close();
    noted?.close();
    // Nothing of this node can write any more, so its slot is free at once.
    await member?.leave();
    await engine.close();
    await member?.close();
  };
  const shrink = async (): Promise<void> => {
    for (;;) {
      const since = performance.now();
      if (closed || !(await engine.shrink())) return;
      await rest(engine, since);
    }
  };
  const compact = () => engine.compact();
  return {
    audit: own,
    holds,
    results,
    consents,
    servers,
    conversations,
    nodes,
    shrink,
    compact,
    close: () => (closed ??= close()),
  };
}
