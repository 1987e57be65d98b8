/**
 * The tables of the state that all nodes of a gateway share.
 *
 * @module
 */
import { type Generated, type Migration, type RawBuilder, sql } from "kysely";
import type { EngineKind } from "../schema.js";

/** A secret, encrypted with its own data key, which the master key encrypts in turn. */
export interface StoredSecret {
  /** SHA-256 of the name: unique for any characters, and short enough for an index. */
  id: string;
  name: string;
  /** Random for each write, so that a version never comes back: changes compare it. */
  version: number;
  /** The master key that encrypts the data key. */
  keyId: string;
  wrapped: string;
  data: string;
}

/** A one-time link, by the hash of its code. */
export interface StoredLink {
  id: string;
  user: string;
  credential: string;
  /** In the database's time. */
  until: number;
  /** 1 if a web page may lead the browser to it. */
  arrival: number;
  fragment: string | null;
}

/** A signed-in browser, by the hash of its cookie. */
export interface StoredBrowser {
  id: string;
  user: string;
  credential: string;
  /** In the database's time, like `usedAt`. */
  until: number;
  usedAt: number;
}

/** A document of the sandbox. */
export interface StoredDocument {
  name: string;
  /** Proves that a node with the sandbox key wrote this body under this name. */
  proof: string;
  size: number;
  usedAt: number;
  /** UTF-8. Text columns of PostgreSQL cannot contain every character. */
  body: Uint8Array;
}

/** The node that refreshes a token at the moment. */
export interface StoredRefresh {
  id: string;
  /** Grows with each holder. */
  fence: number;
  /** In the database's time. */
  until: number;
}

/** A change that nodes with a copy in memory must notice. */
export interface StoredChange {
  seq: number;
  topic: string;
  key: string;
  /** In the database's time. */
  at: number;
}

/** The tables by name. */
export interface SharedTables {
  vitrine_secrets: StoredSecret;
  vitrine_links: StoredLink;
  vitrine_browsers: StoredBrowser;
  vitrine_documents: StoredDocument;
  vitrine_refreshes: StoredRefresh;
  vitrine_changes: Omit<StoredChange, "seq"> & { seq: Generated<number> };
}

/** The database's time in milliseconds since 1970: the clocks of nodes may differ. */
export const databaseTime = (kind: EngineKind): RawBuilder<number> =>
  kind === "sqlite"
    ? sql<number>`cast(unixepoch('subsec') * 1000 as integer)`
    : sql<number>`cast(floor(extract(epoch from clock_timestamp()) * 1000) as bigint)`;

/** Creates the tables. */
export const sharedState = (kind: EngineKind): Migration => ({
  async up(db) {
    const integer = kind === "sqlite" ? "integer" : "bigint";
    await db.schema
      .createTable("vitrine_secrets")
      .ifNotExists()
      .addColumn("id", "text", (column) => column.primaryKey())
      .addColumn("name", "text", (column) => column.notNull())
      .addColumn("version", integer, (column) => column.notNull())
      .addColumn("keyId", "text", (column) => column.notNull())
      .addColumn("wrapped", "text", (column) => column.notNull())
      .addColumn("data", "text", (column) => column.notNull())
      .execute();
    await db.schema
      .createTable("vitrine_links")
      .ifNotExists()
      .addColumn("id", "text", (column) => column.primaryKey())
      .addColumn("user", "text", (column) => column.notNull())
      .addColumn("credential", "text", (column) => column.notNull())
      .addColumn("until", integer, (column) => column.notNull())
      .addColumn("arrival", integer, (column) => column.notNull())
      .addColumn("fragment", "text")
      .execute();
    await db.schema
      .createTable("vitrine_browsers")
      .ifNotExists()
      .addColumn("id", "text", (column) => column.primaryKey())
      .addColumn("user", "text", (column) => column.notNull())
      .addColumn("credential", "text", (column) => column.notNull())
      .addColumn("until", integer, (column) => column.notNull())
      .addColumn("usedAt", integer, (column) => column.notNull())
      .execute();
    for (const table of ["vitrine_links", "vitrine_browsers"])
      await db.schema.createIndex(`${table}_user`).ifNotExists().on(table).column("user").execute();
    await db.schema
      .createTable("vitrine_documents")
      .ifNotExists()
      .addColumn("name", "text", (column) => column.primaryKey())
      .addColumn("proof", "text", (column) => column.notNull())
      .addColumn("size", integer, (column) => column.notNull())
      .addColumn("usedAt", integer, (column) => column.notNull())
      .addColumn("body", kind === "sqlite" ? "blob" : "bytea", (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex("vitrine_documents_used")
      .ifNotExists()
      .on("vitrine_documents")
      .column("usedAt")
      .execute();
    await db.schema
      .createTable("vitrine_refreshes")
      .ifNotExists()
      .addColumn("id", "text", (column) => column.primaryKey())
      .addColumn("fence", integer, (column) => column.notNull())
      .addColumn("until", integer, (column) => column.notNull())
      .execute();
    await db.schema
      .createTable("vitrine_changes")
      .ifNotExists()
      // Numbers are never used twice, also after old rows were removed.
      .addColumn("seq", kind === "sqlite" ? "integer" : "bigserial", (column) =>
        kind === "sqlite" ? column.primaryKey().autoIncrement() : column.primaryKey(),
      )
      .addColumn("topic", "text", (column) => column.notNull())
      .addColumn("key", "text", (column) => column.notNull())
      .addColumn("at", integer, (column) => column.notNull())
      .execute();
  },
});
