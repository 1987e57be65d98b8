/**
 * SQLite in a file. A row is written at once, which takes less time than asking another thread for it. So is waiting for
 * a quick disk; a slow one is waited for in another thread, so that the gateway does not stand still meanwhile.
 *
 * @module
 */
import { closeSync, existsSync, fdatasyncSync, mkdirSync, openSync, statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { GatewayError } from "@vitrine/wire";
import { type CompiledQuery, Kysely, SqliteDialect, type SqliteStatement } from "kysely";
import Libsql from "libsql";
import { type Engine, insertStatements, valuesOf } from "./engine.js";
import { chainRow, GENESIS, type StoredRow } from "./row.js";
import type { Tables } from "./schema.js";
import { takeFile } from "./sqlite-owner.js";

/** Groups are put together from these, so that few statements are prepared. */
const SIZES = [128, 64, 32, 16, 8, 7, 6, 5, 4, 3, 2, 1];

/** Milliseconds: a disk that takes longer is slow. */
const QUICK = 1;

/**
 * Connections to files that are not at their place any more. SQLite removes the `-wal` file *by name* when the last
 * connection ends, and the name may be another database's by now; so these end with the process.
 */
const abandoned: unknown[] = [];

/**
 * Opens a file, or `:memory:`, and becomes its owner.
 *
 * @param patience milliseconds to wait for another owner to leave
 */
export async function openSqlite(path: string, patience: number): Promise<Engine> {
  const isFile = path !== ":memory:";
  if (isFile) mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const owner = isFile ? await takeFile(path, patience) : undefined;
  try {
    // SQLite gives its other files the rights of this one. What people do is nobody else's business. Never do this to a
    // file that is in use: closing it takes away the locks of all who have it open in this process.
    if (isFile && !existsSync(path)) closeSync(openSync(path, "a", 0o600));
    const connection = new Libsql(path, { timeout: 0 });
    if (isFile) connection.pragma("journal_mode = WAL", {});
    // SQLite itself brings to the disk what must be there before something else. The end of a commit is `#sync`.
    connection.pragma("synchronous = NORMAL", {});
    // Fewer, larger checkpoints: one in hundreds of commits waits for one.
    connection.pragma("wal_autocheckpoint = 4000", {});
    return new SqliteEngine(connection, path, isFile, () => owner?.release());
  } catch (error) {
    owner?.release();
    throw error;
  }
}

class SqliteEngine implements Engine {
  readonly kind = "sqlite";
  readonly db: Kysely<Tables>;
  onlost: (error: unknown) => void = () => {};
  readonly #connection: Libsql.Database;
  readonly #path: string;
  readonly #release: () => void;
  readonly #textOf: (count: number) => string;
  readonly #prepared = new Map<number, SqliteStatement>();
  readonly #isFile: boolean;
  /** The file in which commits are, opened a second time: SQLite's own is out of reach. */
  #wal: Promise<FileHandle> | undefined;
  /** How long the disk took the last time, in milliseconds. */
  #lastSync = 0;
  /** The disk failed: nobody knows what of the `-wal` file is there. */
  #isDoubtful = false;
  #isOpen = true;
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
   * Does something, and commits it. The lock is taken first, and by itself: a prepared statement that finds the database locked
   * stays in progress, as the driver does not reset it, and SQLite then commits nothing of what other statements
   * do, without a word.
   */
  #commit<T>(work: () => T): T {
    this.#connection.exec("begin immediate");
    try {
      const result = work();
      this.#connection.exec("commit");
      return result;
    } catch (error) {
      // A full disk has ended the transaction already.
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
    // Of those who wait together for a disk that fails, the system tells only one.
    this.#checkDisk();
  }

  isBusy(error: unknown): boolean {
    return String((error as { code?: unknown } | undefined)?.code).startsWith("SQLITE_BUSY");
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
      // The file is elsewhere. Whoever wrote to it last has been told.
      abandoned.push(this.#connection);
    }
    this.#release();
  }

  /** The driver ends the whole process when a connection is used after its end. */
  #checkOpen(): void {
    if (!this.#isOpen) throw new GatewayError("stopping", "the database is closed");
  }

  #checkDisk(): void {
    if (this.#isDoubtful)
      throw new GatewayError("audit-failed", "the disk failed: what was written last must be written again");
  }

  /** What a disk failed to take once it may forget without a word; so all of it is written again, to the other file. */
  async #copyAll(): Promise<void> {
    const [result] = this.#connection.pragma("wal_checkpoint(FULL)", {}) as { busy: number }[];
    if (result?.busy !== 0)
      throw new Error("somebody reads the database: what was written last waits for them");
    await this.#closeWal();
    this.#isDoubtful = false;
  }

  async #closeWal(): Promise<void> {
    const wal = this.#wal;
    this.#wal = undefined;
    // Waits for what is under way.
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
   * SQLite goes on writing to files that were removed or replaced, and everything is gone with the process. What was
   * written is acknowledged only if the files are still at their place.
   */
  #checkFiles(): void {
    if (!this.#isFile) return;
    const files = [identity(this.#path), identity(`${this.#path}-wal`)];
    this.#files ??= files;
    if (files[0] !== this.#files[0]) {
      const message = `the database file ${this.#path} was removed or replaced: put it back, or restart the gateway`;
      throw new GatewayError("audit-failed", message);
    }
    if (files[1] !== this.#files[1]) {
      // All that is in the lost file goes into the one that is there.
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
