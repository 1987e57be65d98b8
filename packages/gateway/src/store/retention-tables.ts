/**
 * The tables of legal holds, and of everything that only a hold keeps.
 *
 * @module
 */
import type { Migration } from "kysely";

/** A stored legal hold. */
export interface StoredHold {
  id: string;
  user: string | null;
  server: string | null;
  /** Milliseconds since 1970, both inclusive. */
  since: number | null;
  until: number | null;
  reason: string;
  heldAt: number;
  /** 1 when the audit log has the mark of it. */
  recorded: number;
  /** When its end was requested. The hold is in force until the audit log has the mark of its end. */
  endedAt: number | null;
}

/** A row that was removed from the audit log while it was held. */
export interface StoredHeldRow {
  seq: number;
  time: number;
  user: string | null;
  server: string | null;
  /** The hash of the row before it, so that its own hash can be checked. */
  previous: string;
  hash: string;
  /** The row as exported. */
  line: string;
  /** 1 for a copy that was made after the removal had begun, until the audit log has the mark of it. */
  late: number;
}

/** A conversation that its owner deleted, or that expired, but that is still in the database. */
export interface StoredDeletion {
  /** The `id` in `vitrine_conversations`. */
  id: string;
  deletedAt: number;
}

/** SQLite creates tables one by one, and may be interrupted in between, so existing tables are kept. */
export const retentionTables = (kind: "sqlite" | "postgres"): Migration => ({
  async up(db) {
    const integer = kind === "sqlite" ? "integer" : "bigint";
    await db.schema
      .createTable("vitrine_holds")
      .ifNotExists()
      .addColumn("id", "text", (column) => column.primaryKey())
      .addColumn("user", "text")
      .addColumn("server", "text")
      .addColumn("since", integer)
      .addColumn("until", integer)
      .addColumn("reason", "text", (column) => column.notNull())
      .addColumn("heldAt", integer, (column) => column.notNull())
      .addColumn("recorded", integer, (column) => column.notNull())
      .addColumn("endedAt", integer)
      .execute();
    await db.schema
      .createTable("vitrine_held")
      .ifNotExists()
      .addColumn("seq", integer, (column) => column.primaryKey())
      .addColumn("time", integer, (column) => column.notNull())
      .addColumn("user", "text")
      .addColumn("server", "text")
      .addColumn("previous", "text", (column) => column.notNull())
      .addColumn("hash", "text", (column) => column.notNull())
      .addColumn("line", "text", (column) => column.notNull())
      .execute();
    await db.schema
      .createTable("vitrine_deleted")
      .ifNotExists()
      .addColumn("id", "text", (column) => column.primaryKey())
      .addColumn("deletedAt", integer, (column) => column.notNull())
      .execute();
    // Expired conversations of all users are found by their last change.
    await db.schema
      .createIndex("vitrine_conversations_age")
      .ifNotExists()
      .on("vitrine_conversations")
      .column("changedAt")
      .execute();
  },
});
