/**
 * Notes the end of the audit log in a separate file. A database that lost its last rows looks intact: SQLite
 * ignores the truncated end of a `-wal` file, and a restored backup is merely older. The note shows that rows
 * are missing.
 *
 * @module
 */

import { closeSync, constants, fdatasync, fdatasyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { recordOf } from "@vitrine/protocol";
import { sha256 } from "./row.js";
import type { AuditHead } from "./store.js";

/**
 * Size of the file in bytes. It is written in place with one write, so a killed process leaves the old or the
 * new note.
 */
const LENGTH = 128;
/** Milliseconds between flushes to the disk: after a power failure, the note may be this much older. */
const FLUSH = 1000;

/** The file for the note of a database; undefined for a database in memory, or without a folder. */
export function headFile(url: string, folder: string | undefined): string | undefined {
  const path = /^sqlite:(?:\/\/)?(.+)$/.exec(url)?.[1];
  if (path !== undefined) return path === ":memory:" ? undefined : `${path}-head`;
  if (folder === undefined || !URL.canParse(url)) return undefined;
  // Another database has another log. The password is not part of its name.
  const { username, host, pathname, searchParams } = new URL(url);
  const more = ["host", "port", "options"].map((name) => searchParams.get(name));
  const name = sha256(JSON.stringify([username, host, pathname, ...more]));
  return join(folder, `audit-head-${name.slice(0, 16)}`);
}

/**
 * A note of the last row. It is written after the row is on disk, so the database is never behind it, neither
 * after a crash nor after a power failure.
 */
export class NotedHead {
  /** The row of the earlier note; undefined if there is none, or it cannot be read. */
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
      // An older note detects less, but raises no false alarm. The database reports a failing disk.
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
