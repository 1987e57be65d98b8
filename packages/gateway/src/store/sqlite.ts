/**
 * The SQLite engine. Rows are written synchronously, which takes less time than another thread. So is
 * flushing to a fast disk; a slow disk is flushed in another thread, so that the gateway is not blocked.
 *
 * @module
 */
import { closeSync, existsSync, fdatasyncSync, mkdirSync, openSync, statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { GatewayError } from "@vitrine/wire";
import { type CompiledQuery, Kysely, SqliteDialect, type SqliteStatement } from "kysely";
import Libsql from "libsql";
import { type DatabaseEngine, insertStatements, valuesOf } from "./engine.js";
import { chainRow, GENESIS, type StoredRow } from "./row.js";
import type { Tables } from "./schema.js";
import { takeFile } from "./sqlite-owner.js";

/** Groups consist of these sizes, so that few statements are prepared. */
const SIZES = [128, 64, 32, 16, 8, 7, 6, 5, 4, 3, 2, 1];

/** Milliseconds: a disk that takes longer counts as slow. */
const QUICK = 1;

/** SQLite's number of the mode in which a file can be shortened in steps. */
const INCREMENTAL = 2;
/** Pages that a step moves: about a millisecond. */
const SHRUNK_AT_ONCE = 8;
/** Unused pages, and their share of the file, that are worth moving others for. New rows use them otherwise. */
const UNUSED = { pages: 256, share: 0.1 };

/**
 * Connections to files that were moved or replaced. SQLite removes the `-wal` file *by name* when the last
 * connection closes, and that name may belong to another database by now; so these stay open until the
 * process ends.
 */
const abandoned: unknown[] = [];

/**
 * Opens a file, or `:memory:`, and becomes its owner.
 *
 * @param ownerTimeout milliseconds to wait for another owner to leave
 */
export async function openSqlite(path: string, ownerTimeout: number): Promise<DatabaseEngine> {
  const isFile = path !== ":memory:";
  if (isFile) mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const owner = isFile ? await takeFile(path, ownerTimeout) : undefined;
  try {
    // SQLite gives its other files the permissions of this one, which must be private. Never do this to a
    // file that is in use: closing it releases the locks of all connections in this process.
    if (isFile && !existsSync(path)) closeSync(openSync(path, "a", 0o600));
    const connection = new Libsql(path, { timeout: 0 });
    // Effective in a new file only; `compact` converts an older one.
    connection.pragma("auto_vacuum = INCREMENTAL", {});
    if (isFile) connection.pragma("journal_mode = WAL", {});
    // SQLite itself flushes in the required order. `#sync` completes a commit.
    connection.pragma("synchronous = NORMAL", {});
    // Fewer, larger checkpoints: only one in hundreds of commits waits for one.
    connection.pragma("wal_autocheckpoint = 4000", {});
    return new SqliteEngine(connection, path, isFile, () => owner?.release());
  } catch (error) {
    owner?.release();
    throw error;
  }
}

class SqliteEngine implements DatabaseEngine {
  readonly kind = "sqlite";
  readonly db: Kysely<Tables>;
  onlost: (error: unknown) => void = () => {};
  readonly #connection: Libsql.Database;
  readonly #path: string;
  readonly #release: () => void;
  readonly #textOf: (count: number) => string;
  readonly #prepared = new Map<number, SqliteStatement>();
  readonly #isFile: boolean;
  /** The file that contains commits, opened a second time, because SQLite's own handle is not accessible. */
  #wal: Promise<FileHandle> | undefined;
  /** Duration of the last flush, in milliseconds. */
  #lastSync = 0;
  /** Whether the disk failed, so that the contents of the `-wal` file are uncertain. */
  #isDoubtful = false;
  #isOpen = true;
  #isShrinking = false;
  #files: readonly (string | undefined)[] | undefined;

  constructor(connection: Libsql.Database, path: string, isFile: boolean, release: () => void) {
    this.#connection = connection;
    this.#path = path;
    this.#isFile = isFile;
    this.#release = release;
    this.db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: connection }) });
    this.#textOf = insertStatements(this.db, chainRow(GENESIS, 0, {}));
  }

  append(rows: readonly StoredRow[]): Promise<void> {
    this.#checkOpen();
    this.#checkDisk();
    this.#commit(() => {
      let done = 0;
      for (const size of parts(rows.length)) this.#insert(rows.slice(done, (done += size)));
    });
    this.#checkFiles();
    return this.#sync();
  }

  async change(queries: readonly CompiledQuery[]): Promise<number> {
    this.#checkOpen();
    this.#checkDisk();
    const statements = queries.map(({ sql }) => this.#connection.prepare(sql) as SqliteStatement);
    const changed = this.#commit(() => {
      let rows = 0;
      for (const [n, statement] of statements.entries()) {
        rows += Number(statement.run(queries[n]?.parameters ?? []).changes);
      }
      return rows;
    });
    this.#checkFiles();
    await this.#sync();
    return changed;
  }

  /**
   * Runs work in a transaction. The lock is acquired first and separately: a prepared statement that finds
   * the database locked stays in progress, because the driver does not reset it, and SQLite then silently
   * commits nothing of other statements.
   */
  #commit<T>(work: () => T): T {
    this.#connection.exec("begin immediate");
    try {
      const result = work();
      this.#connection.exec("commit");
      return result;
    } catch (error) {
      // A full disk has already ended the transaction.
      if (this.#connection.inTransaction) this.#connection.exec("rollback");
      throw error;
    }
  }

  async #sync(): Promise<void> {
    if (!this.#isFile) return;
    this.#wal ??= open(`${this.#path}-wal`, "r+");
    try {
      const wal = await this.#wal;
      const began = performance.now();
      if (this.#lastSync < QUICK) fdatasyncSync(wal.fd);
      else await wal.datasync();
      this.#lastSync = performance.now() - began;
    } catch (error) {
      this.#isDoubtful = true;
      this.onlost(error);
      throw error;
    }
    // If several flushes fail together, the system reports it to only one of them.
    this.#checkDisk();
  }

  isBusy(error: unknown): boolean {
    return String((error as { code?: unknown } | undefined)?.code).startsWith("SQLITE_BUSY");
  }

  async shrink(): Promise<boolean> {
    this.#checkOpen();
    this.#checkDisk();
    const { free, pages, mode } = this.#space();
    if (mode !== INCREMENTAL || free < UNUSED.pages || free < pages * UNUSED.share) {
      // The file becomes shorter when the -wal file is written back.
      if (this.#isShrinking) this.#connection.pragma("wal_checkpoint(PASSIVE)", {});
      this.#isShrinking = false;
      return false;
    }
    this.#isShrinking = true;
    this.#connection.exec(`pragma incremental_vacuum(${SHRUNK_AT_ONCE})`);
    return true;
  }

  async compact(): Promise<boolean> {
    this.#checkOpen();
    this.#checkDisk();
    this.#connection.pragma("auto_vacuum = INCREMENTAL", {});
    this.#connection.exec("vacuum");
    this.#connection.pragma("wal_checkpoint(TRUNCATE)", {});
    return true;
  }

  #space(): { free: number; pages: number; mode: number } {
    const sql = `select freelist_count as free, page_count as pages, auto_vacuum as mode
      from pragma_freelist_count, pragma_page_count, pragma_auto_vacuum`;
    const [space] = this.#connection.prepare(sql).all([]) as { free: number; pages: number; mode: number }[];
    return space ?? { free: 0, pages: 0, mode: 0 };
  }

  async recover(): Promise<void> {
    this.#checkOpen();
    if (this.#connection.inTransaction) this.#connection.exec("rollback");
    this.#checkFiles();
    if (this.#isDoubtful) await this.#copyAll();
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    this.#prepared.clear();
    await this.#closeWal();
    try {
      this.#checkFiles();
      await this.db.destroy();
    } catch {
      // The file was moved. The last write reported it.
      abandoned.push(this.#connection);
    }
    this.#release();
  }

  /** The driver crashes the process if a closed connection is used. */
  #checkOpen(): void {
    if (!this.#isOpen) throw new GatewayError("stopping", "the database is closed");
  }

  #checkDisk(): void {
    if (this.#isDoubtful)
      throw new GatewayError("audit-failed", "the disk failed: the last rows must be written again");
  }

  /**
   * A disk may silently forget data that it failed to write, so all of it is written again, to the other
   * file.
   */
  async #copyAll(): Promise<void> {
    const [result] = this.#connection.pragma("wal_checkpoint(FULL)", {}) as { busy: number }[];
    if (result?.busy !== 0)
      throw new Error("another connection is reading the database: the last rows must wait for it");
    await this.#closeWal();
    this.#isDoubtful = false;
  }

  async #closeWal(): Promise<void> {
    const wal = this.#wal;
    this.#wal = undefined;
    // Waits for running operations.
    await wal?.then((file) => file.close()).catch(() => {});
  }

  #insert(rows: readonly StoredRow[]): void {
    let statement = this.#prepared.get(rows.length);
    if (!statement) {
      statement = this.#connection.prepare(this.#textOf(rows.length)) as SqliteStatement;
      this.#prepared.set(rows.length, statement);
    }
    statement.run(valuesOf(rows));
  }

  /**
   * SQLite keeps writing to files that were removed or replaced, and that data is lost with the process.
   * Writes are acknowledged only if the files are still in place.
   */
  #checkFiles(): void {
    if (!this.#isFile) return;
    const files = [identity(this.#path), identity(`${this.#path}-wal`)];
    this.#files ??= files;
    if (files[0] !== this.#files[0]) {
      const message = `the database file ${this.#path} was removed or replaced: restore it, or restart the gateway`;
      throw new GatewayError("audit-failed", message);
    }
    if (files[1] !== this.#files[1]) {
      // Copies everything from the lost file into the existing one.
      this.#connection.pragma("wal_checkpoint(FULL)", {});
      const message = `the file ${this.#path}-wal was removed or replaced: restart the gateway`;
      throw new GatewayError("audit-failed", message);
    }
  }
}

function identity(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat && `${stat.dev}:${stat.ino}`;
}

function parts(count: number): number[] {
  const result: number[] = [];
  for (const size of SIZES) {
    for (; count >= size; count -= size) result.push(size);
  }
  return result;
}
