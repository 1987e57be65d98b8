/**
 * Access to the database of a running gateway, for legal holds only. The gateway stays its owner: it sees the
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
import { LOCK_TIMEOUT, type QueryEngine } from "./engine.js";
import { StoredHolds } from "./holds.js";
import type { LegalHolds } from "./legal-holds.js";
import type { Tables } from "./schema.js";

/** Legal holds in the database of a running gateway. */
export interface GuestHolds {
  readonly holds: LegalHolds;
  close(): Promise<void>;
}

/**
 * Opens the legal holds of a running gateway.
 *
 * @throws {GatewayError} `config-invalid` if the database cannot be opened, or the gateway has an earlier version
 */
export async function openGuestHolds(url: string): Promise<GuestHolds> {
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
    const message = `the running gateway does not know legal holds: ${messageOf(cause)}. Restart it with this version`;
    throw new GatewayError("config-invalid", message, { cause });
  }
  return { holds: new StoredHolds(access, Date.now), close: () => db.destroy() };
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
