/**
 * Creates and migrates the tables.
 *
 * @module
 */
import { messageOf } from "@vitrine/servers/support";
import { type Kysely, Migrator, sql } from "kysely";
import { migrationsOf } from "./migration-steps.js";
import type { EngineKind, Tables } from "./schema.js";

/**
 * Migrates the tables.
 *
 * @param through the last migration to run, to create a database of an older version; all by default
 */
export async function migrate(db: Kysely<Tables>, kind: EngineKind, through?: string): Promise<void> {
  // Without it, Kysely would mistake tables of another schema for those of this one.
  const schema = kind === "postgres" ? await currentSchema(db) : undefined;
  const migrator = new Migrator({
    db,
    ...(schema === undefined ? {} : { migrationTableSchema: schema }),
    provider: {
      getMigrations: async () => migrationsOf(kind),
    },
    migrationTableName: "vitrine_migration",
    migrationLockTableName: "vitrine_migration_lock",
  });
  const { error } = await (through === undefined ? migrator.migrateToLatest() : migrator.migrateTo(through));
  if (error) throw unfinished(error);
}

/** A migration that this version does not know can only be one of a later version. */
function unfinished(error: unknown): unknown {
  const [, name] = /previously executed migration (\S+) is missing/.exec(messageOf(error)) ?? [];
  if (name === undefined) return error;
  return new Error(
    `a newer version of Vitrine has changed its tables (${name}): use that version or a later one`,
    {
      cause: error,
    },
  );
}

async function currentSchema(db: Kysely<Tables>): Promise<string | undefined> {
  const { rows } = await sql<{ name: string | null }>`select current_schema() as name`.execute(db);
  return rows[0]?.name ?? undefined;
}
