/**
 * Access to the database of a running gateway, for legal holds and verification. The gateway stays its owner: it sees
 * holds at once, and records them in the audit log.
 *
 * @module
 */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { messageOf } from "@vitrine/servers/support";
import { GatewayError } from "@vitrine/wire";
import { type CompiledQuery, Kysely, PostgresDialect, SqliteDialect } from "kysely";
import Libsql from "libsql";
import { verifyOthers } from "./chain-verification.js";
import { LOCK_TIMEOUT, type QueryEngine } from "./engine.js";
import { StoredHolds } from "./holds.js";
import type { LegalHolds } from "./legal-holds.js";
import type { Tables } from "./schema.js";
import type { Verification } from "./store.js";

/** The database of a running gateway. */
export interface GuestStore {
  readonly holds: LegalHolds;
  /** Verifies all chains, and with the `archive`, a folder, their files. */
  verify(archive?: string): Promise<Verification>;
  close(): Promise<void>;
}

/**
 * Opens the database of a running gateway.
 *
 * @throws {GatewayError} `config-invalid` if the database cannot be opened, or the gateway has an earlier version
 */
export async function openGuest(url: string): Promise<GuestStore> {
  const isPostgres = /^postgres(?:ql)?:\/\//.test(url);
  const { db, kind } = isPostgres ? await postgres(url) : sqlite(url);
  const access: QueryEngine = {
    kind,
    db,
    isBusy: (error) => String(Object(error).code).startsWith("SQLITE_BUSY"),
    async change(queries: readonly CompiledQuery[]) {
      let rows = 0;
      for (const query of queries) rows += Number((await db.executeQuery(query)).numAffectedRows ?? 0);
      return rows;
    },
  };
  try {
    await db.selectFrom("vitrine_holds").select("id").limit(1).execute();
  } catch (cause) {
    await db.destroy();
    const message = `the running gateway has an earlier version: ${messageOf(cause)}. Restart it with this version`;
    throw new GatewayError("config-invalid", message, { cause });
  }
  return {
    holds: new StoredHolds(access, Date.now),
    verify: (archive) => verifyOthers(access, archive),
    close: () => db.destroy(),
  };
}

async function postgres(url: string): Promise<{ db: Kysely<Tables>; kind: "postgres" }> {
  const { default: pg } = await import("pg");
  const types = {
    getTypeParser: (oid: number, format?: "text" | "binary") =>
      oid === INT8 ? Number : pg.types.getTypeParser(oid, format),
  };
  const pool = new pg.Pool({ connectionString: url, max: 1, types });
  pool.on("error", () => {});
  return { db: new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) }), kind: "postgres" };
}

const INT8 = 20;

function sqlite(url: string): { db: Kysely<Tables>; kind: "sqlite" } {
  const path = resolve(url.replace(/^sqlite:(?:\/\/)?/, ""));
  if (!existsSync(path)) throw new GatewayError("config-invalid", `there is no database ${path}`);
  const database = new Libsql(path, { timeout: LOCK_TIMEOUT });
  // A hold is on disk when the command ends.
  database.pragma("synchronous = FULL", {});
  return { db: new Kysely<Tables>({ dialect: new SqliteDialect({ database }) }), kind: "sqlite" };
}
