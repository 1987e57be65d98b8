/**
 * One process owns a database file: a second one would write another chain into it.
 *
 * @module
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import Libsql from "libsql";
import { GatewayError } from "../errors.js";
import { wait } from "./engine.js";

/** A file that this process owns. */
export interface Ownership {
  release(): void;
}

/**
 * Takes a lock beside the file. The lock is SQLite's own, on an empty database: the operating system lets go of it when
 * the process ends, however it ends, so that nothing stale can be left.
 */
export async function takeFile(path: string, patience: number): Promise<Ownership> {
  const note = `${path}-owner.txt`;
  const lock = new Libsql(`${path}-owner`, { timeout: 0 });
  const deadline = performance.now() + patience;
  for (;;) {
    try {
      lock.exec("begin immediate");
      break;
    } catch (error) {
      if (performance.now() >= deadline) {
        lock.close();
        const owner = existsSync(note) ? readFileSync(note, "utf8").trim() : "another process";
        const message = `${path} is in use by ${owner}: stop it first, or give this gateway another database`;
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
