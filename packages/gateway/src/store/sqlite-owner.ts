/**
 * Ensures that a single process owns a database file or a data folder: a second one would overwrite the data
 * of the first.
 *
 * @module
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { messageOf } from "@vitrine/servers/support";
import { GatewayError } from "@vitrine/wire";
import Libsql from "libsql";
import { wait } from "./engine.js";

/** A file that this process owns. */
export interface Ownership {
  release(): void;
}

/** Acquires a database file, with a lock file beside it. */
export const takeFile = (path: string, ownerTimeout: number): Promise<Ownership> =>
  take(path, `${path}-owner`, ownerTimeout, "give this gateway another database");

/**
 * Acquires the folder of the gateway's own files.
 *
 * @throws {GatewayError} `config-invalid` if another gateway has it; then `data.inUse` is true
 */
export const takeFolder = (folder: string, ownerTimeout: number): Promise<Ownership> =>
  take(
    folder,
    join(folder, "owner"),
    ownerTimeout,
    "give this gateway another data folder (dataFolder, --data)",
  );

/**
 * Uses SQLite's own lock on an empty database: the operating system releases it whenever the process ends. So
 * a crash leaves no stale lock, and reused process ids do not matter.
 */
async function take(what: string, file: string, ownerTimeout: number, instead: string): Promise<Ownership> {
  const note = `${file}.txt`;
  const lock = openLock(file);
  const deadline = performance.now() + ownerTimeout;
  for (;;) {
    try {
      lock.exec("begin immediate");
      break;
    } catch (error) {
      if (!isBusy(error)) {
        lock.close();
        throw unusable(file, error);
      }
      if (performance.now() >= deadline) {
        lock.close();
        const owner = existsSync(note) ? readFileSync(note, "utf8").trim() : "another process";
        const message = `${what} is in use by ${owner}: stop it first, or ${instead}`;
        throw new GatewayError("config-invalid", message, { cause: error, data: { inUse: true } });
      }
    }
    await wait(50);
  }
  try {
    const owner = `process ${process.pid} on ${hostname()}, since ${new Date().toISOString()}`;
    writeFileSync(note, `${owner}\n`, { mode: 0o600 });
  } catch (error) {
    lock.close();
    throw unusable(note, error);
  }
  return {
    release() {
      if (!lock.open) return;
      rmSync(note, { force: true });
      lock.exec("rollback");
      lock.close();
    },
  };
}

function openLock(file: string): Libsql.Database {
  try {
    return new Libsql(file, { timeout: 0 });
  } catch (error) {
    throw unusable(file, error);
  }
}

/** The error if a lock fails for another reason than being held. */
const unusable = (file: string, cause: unknown): GatewayError =>
  new GatewayError(
    "config-invalid",
    `cannot use the lock file ${file}: ${messageOf(cause)}. If no gateway is running, remove it; make sure that its folder is writable and has free space`,
    { cause },
  );

const isBusy = (error: unknown): boolean => `${Object(error).code}`.startsWith("SQLITE_BUSY");
