/**
 * One process owns a database file, and one owns a data folder: a second one would overwrite what the first one writes.
 *
 * @module
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import Libsql from "libsql";
import { GatewayError } from "../errors.js";
import { wait } from "./engine.js";

/** A file that this process owns. */
export interface Ownership {
  release(): void;
}

/** Takes a database file, with a lock beside it. */
export const takeFile = (path: string, patience: number): Promise<Ownership> =>
  take(path, `${path}-owner`, patience, "give this gateway another database");

/**
 * Takes the folder with the gateway's own files.
 *
 * @throws {GatewayError} `config-invalid` if another gateway has it; `data.inUse` is true then
 */
export const takeFolder = (folder: string, patience: number): Promise<Ownership> =>
  take(folder, join(folder, "owner"), patience, "give this gateway another data folder (dataFolder, --data)");

/**
 * The lock is SQLite's own, on an empty database: the operating system releases it when the process ends, however it
 * ends. So a crash leaves no stale lock, and it does not matter which process has the same number later.
 */
async function take(what: string, file: string, patience: number, instead: string): Promise<Ownership> {
  const note = `${file}.txt`;
  const lock = new Libsql(file, { timeout: 0 });
  const deadline = performance.now() + patience;
  for (;;) {
    try {
      lock.exec("begin immediate");
      break;
    } catch (error) {
      if (performance.now() >= deadline) {
        lock.close();
        const owner = existsSync(note) ? readFileSync(note, "utf8").trim() : "another process";
        const message = `${what} is in use by ${owner}: stop it first, or ${instead}`;
        throw new GatewayError("config-invalid", message, { cause: error, data: { inUse: true } });
      }
    }
    await wait(50);
  }
  writeFileSync(note, `process ${process.pid} on ${hostname()}, since ${new Date().toISOString()}\n`, {
    mode: 0o600,
  });
  return {
    release() {
      if (!lock.open) return;
      rmSync(note, { force: true });
      lock.exec("rollback");
      lock.close();
    },
  };
}
