/** The recorded database of an older gateway, with its sandbox key. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { migrate } from "../../packages/gateway/src/store/migrations.ts";
import { openPostgres } from "../../packages/gateway/src/store/postgres.ts";
import type { Tables } from "../../packages/gateway/src/store/schema.ts";
import { openSqlite } from "../../packages/gateway/src/store/sqlite.ts";

/**
 * Data of one user with one server, `mail-server.mjs` under the name `mail`: two calls in a conversation, and
 * an "always" consent.
 */
export interface OlderDatabase {
  about: {
    conversation: string;
    /** The call that has an app. */
    item: string;
    viewOrigin: string;
    /** `sandbox.key` in its data folder. */
    key: string;
  };
  tables: Pick<
    Tables,
    | "vitrine_audit"
    | "vitrine_consents"
    | "vitrine_conversations"
    | "vitrine_conversation_items"
    | "vitrine_state"
  > extends infer Rows
    ? { [Name in keyof Rows]: Rows[Name][] }
    : never;
}

/** Reads the recording. Its consents would expire 90 days after they were made; here they do not. */
export async function olderDatabase(): Promise<OlderDatabase> {
  const text = await readFile(new URL("./database-before-identities.json", import.meta.url), "utf8");
  const older = JSON.parse(text) as OlderDatabase;
  for (const consent of older.tables.vitrine_consents) consent.expiresAt = null;
  return older;
}

/** Writes the rows into tables of their time, then runs `more` on them. */
export async function writeOlder(url: string, { tables }: OlderDatabase, more: string[] = []): Promise<void> {
  const engine = url.startsWith("sqlite:")
    ? await openSqlite(url.slice("sqlite:".length), 2000)
    : await openPostgres(url, { ownerTimeout: 2000, commitTimeout: 10_000 });
  await migrate(engine.db, engine.kind, "002-conversations");
  for (const [name, rows] of Object.entries(tables))
    for (const row of rows)
      await engine.db
        .insertInto(name as keyof Tables)
        .values(row as never)
        .execute();
  for (const statement of more) await sql.raw(statement).execute(engine.db);
  await engine.close();
}

/** Creates a data folder from it. */
export async function writeOlderFolder(folder: string, older: OlderDatabase): Promise<void> {
  await writeOlder(`sqlite:${join(folder, "gateway.db")}`, older);
  await writeFile(join(folder, "sandbox.key"), older.about.key, { mode: 0o600 });
}
