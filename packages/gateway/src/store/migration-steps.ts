/**
 * The steps by which the tables came to be. A step that was released never changes.
 *
 * @module
 */
import { type Kysely, type Migration, sql } from "kysely";
import { retentionTables } from "./retention-tables.js";
import type { EngineKind } from "./schema.js";
import { sharedState } from "./shared/tables.js";

/** SQLite creates tables one by one, and may be interrupted in between, so existing tables are kept. */
const first = (kind: EngineKind): Migration => ({
  async up(db) {
    const integer = kind === "sqlite" ? "integer" : "bigint";
    await db.schema
      .createTable("vitrine_audit")
      .ifNotExists()
      .addColumn("seq", integer, (column) => column.primaryKey())
      .addColumn("time", integer, (column) => column.notNull())
      .addColumn("kind", "text", (column) => column.notNull())
      .addColumn("of", integer)
      .addColumn("user", "text")
      .addColumn("actor", "text")
      .addColumn("view", "text")
      .addColumn("server", "text")
      .addColumn("method", "text")
      .addColumn("target", "text")
      .addColumn("decision", "text")
      .addColumn("reason", "text")
      .addColumn("key", "text")
      .addColumn("paramsHash", "text")
      .addColumn("paramsSize", integer)
      .addColumn("params", "text")
      .addColumn("outcome", "text")
      .addColumn("code", "text")
      .addColumn("duration", "double precision")
      .addColumn("resultHash", "text")
      .addColumn("resultSize", integer)
      .addColumn("result", "text")
      .addColumn("hash", "text", (column) => column.notNull())
      .execute();
    // Each index is another page to write per commit, so there are only those that searches need.
    await db.schema
      .createIndex("vitrine_audit_of")
      .ifNotExists()
      .on("vitrine_audit")
      .column("of")
      .unique()
      .where("of", "is not", null)
      .execute();
    await db.schema
      .createIndex("vitrine_audit_key")
      .ifNotExists()
      .on("vitrine_audit")
      .columns(["key", "user"])
      .where("key", "is not", null)
      .execute();
    await db.schema
      .createIndex("vitrine_audit_time")
      .ifNotExists()
      .on("vitrine_audit")
      .column("time")
      .execute();
    await db.schema
      .createIndex("vitrine_audit_mark")
      .ifNotExists()
      .on("vitrine_audit")
      .columns(["method", "seq"])
      .where(sql.ref("kind"), "=", "mark")
      .execute();
    await db.schema
      .createTable("vitrine_consents")
      .ifNotExists()
      .addColumn("id", "text", (column) => column.primaryKey())
      .addColumn("user", "text", (column) => column.notNull())
      .addColumn("server", "text", (column) => column.notNull())
      .addColumn("method", "text", (column) => column.notNull())
      .addColumn("subject", "text", (column) => column.notNull())
      .addColumn("fingerprint", "text", (column) => column.notNull())
      .addColumn("answer", "text", (column) => column.notNull())
      .addColumn("grantedAt", integer, (column) => column.notNull())
      .addColumn("expiresAt", integer)
      .execute();
    await db.schema
      .createTable("vitrine_state")
      .ifNotExists()
      .addColumn("name", "text", (column) => column.primaryKey())
      .addColumn("value", "text", (column) => column.notNull())
      .execute();
  },
});

const conversations = (kind: EngineKind): Migration => ({
  async up(db) {
    const integer = kind === "sqlite" ? "integer" : "bigint";
    await db.schema
      .createTable("vitrine_conversations")
      .ifNotExists()
      .addColumn("id", "text", (column) => column.primaryKey())
      .addColumn("user", "text", (column) => column.notNull())
      .addColumn("startedAt", integer, (column) => column.notNull())
      .addColumn("changedAt", integer, (column) => column.notNull())
      .addColumn("items", integer, (column) => column.notNull())
      .addColumn("size", integer, (column) => column.notNull())
      .addColumn("last", integer, (column) => column.notNull())
      .addColumn("text", "text", (column) => column.notNull())
      .addColumn("json", "text", (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex("vitrine_conversations_changed")
      .ifNotExists()
      .on("vitrine_conversations")
      .columns(["user", "changedAt"])
      .execute();
    await db.schema
      .createTable("vitrine_conversation_items")
      .ifNotExists()
      .addColumn("id", "text", (column) => column.primaryKey())
      .addColumn("conversation", "text", (column) => column.notNull())
      .addColumn("position", integer, (column) => column.notNull())
      .addColumn("kind", "text", (column) => column.notNull())
      .addColumn("size", integer, (column) => column.notNull())
      .addColumn("text", "text", (column) => column.notNull())
      .addColumn("json", "text", (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex("vitrine_conversation_items_position")
      .ifNotExists()
      .on("vitrine_conversation_items")
      .columns(["conversation", "position"])
      .execute();
    await db.schema
      .createTable("vitrine_conversation_contexts")
      .ifNotExists()
      .addColumn("conversation", "text", (column) => column.primaryKey())
      .addColumn("json", "text", (column) => column.notNull())
      .execute();
  },
});

/** In `vitrine_state`: the database has rows that identify servers by name only. */
export const HAS_NAMED_ROWS = "has-named-rows";

/** The tables whose rows identify servers by name. */
const NAMED = ["vitrine_audit", "vitrine_consents", "vitrine_conversations"] as const;

/**
 * Adds identities of servers. Existing rows keep null as their identity: they belong to the first server that
 * is seen with their name (`StoredServers`). A new database has no such rows, and no server inherits anything
 * in it.
 */
const identities = (kind: EngineKind): Migration => ({
  async up(db) {
    const integer = kind === "sqlite" ? "integer" : "bigint";
    await db.schema
      .createTable("vitrine_servers")
      .ifNotExists()
      .addColumn("id", "text", (column) => column.primaryKey())
      .addColumn("name", "text", (column) => column.notNull())
      .addColumn("identity", "text", (column) => column.notNull())
      .addColumn("turn", integer, (column) => column.notNull())
      .addColumn("heir", integer, (column) => column.notNull())
      .execute();
    for (const table of NAMED) {
      const row = await db.selectFrom(table).select(sql`1`.as("one")).limit(1).executeTakeFirst();
      if (!row) continue;
      await db
        .insertInto("vitrine_state")
        .values({ name: HAS_NAMED_ROWS, value: "yes" })
        .onConflict((conflict) => conflict.column("name").doNothing())
        .execute();
    }
    for (const table of ["vitrine_audit", "vitrine_consents"])
      if (!(await hasColumn(db, kind, table, "identity")))
        await db.schema.alterTable(table).addColumn("identity", "text").execute();
  },
});

/** SQLite may have been interrupted after a column was added, and cannot add it twice. */
async function hasColumn(
  db: Kysely<unknown>,
  kind: EngineKind,
  table: string,
  column: string,
): Promise<boolean> {
  if (kind === "postgres") return false;
  const { rows } = await sql`select 1 from pragma_table_info(${table}) where name = ${column}`.execute(db);
  return rows.length > 0;
}

/** Small results, for keys that are repeated after a restart. */
const results = (kind: EngineKind): Migration => ({
  async up(db) {
    const integer = kind === "sqlite" ? "integer" : "bigint";
    await db.schema
      .createTable("vitrine_results")
      .ifNotExists()
      .addColumn("seq", integer, (column) => column.primaryKey())
      .addColumn("expiresAt", integer, (column) => column.notNull())
      .addColumn("json", "text", (column) => column.notNull())
      .execute();
  },
});

/** Keeps the notice about a server that took over a name until a user was notified, across restarts. */
const untoldServers = (kind: EngineKind): Migration => ({
  async up(db) {
    if (!(await hasColumn(db, kind, "vitrine_servers", "untold")))
      await db.schema.alterTable("vitrine_servers").addColumn("untold", "text").execute();
  },
});

/**
 * Answers about tools are for apps or for the model. Older ones do not say who asked, so they are deleted, and the user is
 * asked again.
 */
const consentActors = (kind: EngineKind): Migration => ({
  async up(db) {
    if (!(await hasColumn(db, kind, "vitrine_consents", "actor")))
      await db.schema.alterTable("vitrine_consents").addColumn("actor", "text").execute();
    await db.deleteFrom("vitrine_consents").where("method", "=", "tools/call").execute();
  },
});

/** Nodes of one gateway, and their users. */
const nodes = (kind: EngineKind): Migration => ({
  async up(db) {
    const integer = kind === "sqlite" ? "integer" : "bigint";
    await db.schema
      .createTable("vitrine_nodes")
      .ifNotExists()
      .addColumn("slot", "integer", (column) => column.primaryKey())
      .addColumn("node", "text", (column) => column.notNull())
      .addColumn("fence", integer, (column) => column.notNull())
      .addColumn("address", "text", (column) => column.notNull())
      .addColumn("version", "text", (column) => column.notNull())
      .addColumn("fingerprint", "text", (column) => column.notNull())
      .addColumn("state", "text", (column) => column.notNull())
      .addColumn("expiresAt", integer, (column) => column.notNull())
      .execute();
    await db.schema
      .createTable("vitrine_shards")
      .ifNotExists()
      .addColumn("shard", "integer", (column) => column.primaryKey())
      .addColumn("slot", "integer")
      .addColumn("fence", integer, (column) => column.notNull())
      .execute();
  },
});

/** Adds trace ids of calls. Existing rows have none, so their hashes stay as they are. */
const traces = (kind: EngineKind): Migration => ({
  async up(db) {
    if (!(await hasColumn(db, kind, "vitrine_audit", "trace")))
      await db.schema.alterTable("vitrine_audit").addColumn("trace", "text").execute();
  },
});

/** Marks copies that were made for a hold that was added while rows were being removed. */
const lateCopies = (kind: EngineKind): Migration => ({
  async up(db) {
    if (!(await hasColumn(db, kind, "vitrine_held", "late")))
      await db.schema
        .alterTable("vitrine_held")
        .addColumn("late", "integer", (column) => column.notNull().defaultTo(0))
        .execute();
  },
});

/** All steps, by their names: in the order of their names. */
export const migrationsOf = (kind: EngineKind): Record<string, Migration> => ({
  "001-first": first(kind),
  "002-conversations": conversations(kind),
  "003-server-identities": identities(kind),
  "004-results": results(kind),
  "005-untold-servers": untoldServers(kind),
  "006-consent-actors": consentActors(kind),
  "007-nodes": nodes(kind),
  "008-shared-state": sharedState(kind),
  "009-trace": traces(kind),
  "010-retention": retentionTables(kind),
  "011-late-copies": lateCopies(kind),
});
