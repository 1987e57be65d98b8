/**
 * The tables, for Kysely. Names are those of the fields, so that a row is the same in the database, in an export and in
 * the text that is hashed.
 *
 * @module
 */
import type { ConversationItem } from "@vitrine/wire";
import { type Kysely, type Migration, Migrator, sql } from "kysely";
import type { StoredRow } from "./row.js";
import type { ConsentRecord, ServerNews } from "./store.js";

/** An answer as it is kept. */
export interface StoredConsent {
  /** SHA-256 of user, server, identity, method and subject: exact, whatever characters they have, and short enough for an index. */
  id: string;
  user: string;
  server: string;
  /** Null in rows that are older than identities. */
  identity: string | null;
  method: string;
  subject: string;
  /** SHA-256 of it: it may be long. */
  fingerprint: string;
  answer: ConsentRecord["answer"];
  grantedAt: number;
  expiresAt: number | null;
}

/** A conversation as it is kept. */
export interface StoredConversation {
  /** SHA-256 of the user and its own id: exact, whatever characters they have, so that nobody has another's. */
  id: string;
  user: string;
  startedAt: number;
  changedAt: number;
  /** How many entries it has. */
  items: number;
  /** Bytes of their JSON. */
  size: number;
  /** The last `position` that was given to an entry; it is never given again. */
  last: number;
  /** The words of its title, to search in. */
  text: string;
  /** Its own id, its title and what was used. JSON has a way to write every character, a database has not. */
  json: string;
}

/** What the apps of a conversation want the model to know. Apart from it: it may be large, and changes less often. */
export interface StoredContexts {
  conversation: string;
  json: string;
}

/** An entry of a conversation as it is kept. */
export interface StoredItem {
  /** SHA-256 of the conversation and its own id. */
  id: string;
  conversation: string;
  position: number;
  kind: ConversationItem["kind"];
  /** Bytes of its JSON. */
  size: number;
  /** The words of it, to search in. */
  text: string;
  /** All of it. The last column: a search does not read it. */
  json: string;
}

/** A server that has had a name. */
export interface StoredServer {
  /** SHA-256 of name and identity. */
  id: string;
  name: string;
  identity: string;
  /** Grows with each server that takes a name: the highest one of a name has it now. */
  turn: number;
  /** 1 for the one server of a name that rows without an identity belong to. */
  heir: number;
  /** How it took the name, until a person was told of it. */
  untold: ServerNews["kind"] | null;
}

/** The result of a call, kept for a repeated idempotency key. */
export interface StoredResult {
  /** The number of the call's entry in the audit log. */
  seq: number;
  /** Milliseconds since 1970. */
  expiresAt: number;
  json: string;
}

/** What the gateway knows about its own database. */
export interface StoredState {
  name: string;
  value: string;
}

/** All tables. */
export interface Tables {
  vitrine_audit: StoredRow;
  vitrine_consents: StoredConsent;
  vitrine_conversations: StoredConversation;
  vitrine_conversation_items: StoredItem;
  vitrine_conversation_contexts: StoredContexts;
  vitrine_servers: StoredServer;
  vitrine_results: StoredResult;
  vitrine_state: StoredState;
}

/** Which database it is. */
export type EngineKind = "sqlite" | "postgres";

/** SQLite makes tables one by one, and may be cut off in between: so what is there already is left as it is. */
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
    // Each index is a page more to write in every commit; so there are those that a search cannot do without.
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

/** In `vitrine_state`: the database has rows that know servers by their names alone. */
export const HAS_NAMED_ROWS = "has-named-rows";

/** The tables whose rows know servers by name. */
const NAMED = ["vitrine_audit", "vitrine_consents", "vitrine_conversations"] as const;

/**
 * Servers by identity. Rows that are there already keep null as their identity: they belong to the first server that is seen under
 * their name (`StoredServers`). A new database has no such rows, and no server inherits anything in it.
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

/** SQLite may have been cut off after a column was added, and cannot add it twice. */
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

/** Servers that took over a name stay news until a person was told of them, whatever becomes of the process. */
const untoldServers = (kind: EngineKind): Migration => ({
  async up(db) {
    if (!(await hasColumn(db, kind, "vitrine_servers", "untold")))
      await db.schema.alterTable("vitrine_servers").addColumn("untold", "text").execute();
  },
});

/**
 * Brings the tables to the newest form.
 *
 * @param through the last migration to do, to make a database of an older form; all by default
 */
export async function migrate(db: Kysely<Tables>, kind: EngineKind, through?: string): Promise<void> {
  // Without it Kysely takes the tables of another schema for those of this one.
  const schema = kind === "postgres" ? await currentSchema(db) : undefined;
  const migrator = new Migrator({
    db,
    ...(schema === undefined ? {} : { migrationTableSchema: schema }),
    provider: {
      getMigrations: async () => ({
        "001-first": first(kind),
        "002-conversations": conversations(kind),
        "003-server-identities": identities(kind),
        "004-results": results(kind),
        "005-untold-servers": untoldServers(kind),
      }),
    },
    migrationTableName: "vitrine_migration",
    migrationLockTableName: "vitrine_migration_lock",
  });
  const { error } = await (through === undefined ? migrator.migrateToLatest() : migrator.migrateTo(through));
  if (error) throw error;
}

async function currentSchema(db: Kysely<Tables>): Promise<string | undefined> {
  const { rows } = await sql<{ name: string | null }>`select current_schema() as name`.execute(db);
  return rows[0]?.name ?? undefined;
}
