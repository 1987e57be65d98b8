/**
 * The end of the audit log, noted in a file of its own. A database that lost its last rows looks whole: SQLite ignores the
 * end of a `-wal` file that was cut short, and a restored backup is just older. The note shows that rows are missing.
 *
 * @module
 */

import { closeSync, constants, fdatasync, fdatasyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { recordOf } from "@vitrine/protocol";
import { sha256 } from "./row.js";
import type { AuditHead } from "./store.js";

/** Bytes of the file. It is written at once and in place, so a process that is killed leaves the old note or the new one. */
const LENGTH = 128;
/** Milliseconds between two flushes to the disk: after a power failure the note may be this much older. */
const FLUSH = 1000;

/** Where the end of a database's log is noted; undefined for one in memory, or without a folder. */
export function headFile(url: string, folder: string | undefined): string | undefined {
  const path = /^sqlite:(?:\/\/)?(.+)$/.exec(url)?.[1];
  if (path !== undefined) return path === ":memory:" ? undefined : `${path}-head`;
  if (folder === undefined || !URL.canParse(url)) return undefined;
  // Another database has another log. A password is no part of its name.
  const { username, host, pathname, searchParams } = new URL(url);
  const more = ["host", "port", "options"].map((name) => searchParams.get(name));
  const name = sha256(JSON.stringify([username, host, pathname, ...more]));
  return join(folder, `audit-head-${name.slice(0, 16)}`);
}

/**
 * A note of the last row. It is written after the row is on disk, so the database is never behind it: not after a crash at
 * any moment, nor after a power failure.
 */
export class NotedHead {
  /** The row that was noted before; undefined if there is no note, or it cannot be read. */
  readonly before: AuditHead | undefined;
  readonly #file: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(path: string) {
    // Not truncated: a crash must not leave an empty note.
    this.#file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
    this.before = read(readFileSync(this.#file, "utf8"));
  }

  note({ seq, hash }: AuditHead): void {
    try {
      writeSync(this.#file, `${JSON.stringify({ seq, hash }).padEnd(LENGTH - 1)}\n`, 0);
    } catch {
      // An older note shows less, and raises no false alarm. A disk that fails is noticed by the database.
      return;
    }
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      fdatasync(this.#file, () => {});
    }, FLUSH).unref();
  }

  close(): void {
    clearTimeout(this.#timer);
    try {
      if (this.#timer) fdatasyncSync(this.#file);
    } catch {
      // After a power failure the note may be older; see `note`.
    }
    closeSync(this.#file);
  }
}

function read(text: string): AuditHead | undefined {
  try {
    const { seq, hash } = recordOf(JSON.parse(text));
    if (Number.isSafeInteger(seq) && typeof hash === "string") return { seq: Number(seq), hash };
  } catch {
    // A new file is empty.
  }
  return undefined;
}
