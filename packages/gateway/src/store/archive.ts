/**
 * Archive files: rows of the audit log as compressed JSON lines, with a first line that says where they
 * belong in the chain. A file is complete when it has its name.
 *
 * @module
 */
import { createHash, type Hash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { recordOf } from "@vitrine/protocol";
import { messageOf } from "@vitrine/servers/support";
import { GatewayError } from "@vitrine/wire";
import type { CheckedRow } from "./chain-check.js";
import { FIRST_SLOT } from "./chains.js";
import { readLine } from "./export.js";
import type { AuditHead } from "./store.js";

/** The first line of an archive file. */
export interface ArchiveManifest {
  readonly format: "vitrine-audit";
  readonly version: 1;
  /** The row before the first one: its hash is the start of the chain in this file. */
  readonly after: AuditHead;
  readonly first: AuditHead;
  readonly last: AuditHead;
  /** Times of the first and the last row, in milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
}

/** A file in the archive. */
export interface ArchiveFile {
  readonly name: string;
  /** Numbers of its first and last row. */
  readonly first: number;
  readonly last: number;
}

const NAME = /^audit-(\d{16})-(\d{16})\.jsonl\.gz$/;

const nameOf = (first: number, last: number): string =>
  `audit-${String(first).padStart(16, "0")}-${String(last).padStart(16, "0")}.jsonl.gz`;

/** The folder for the rows of a slot. */
export const archiveOf = (archive: string, slot: number): string =>
  slot === FIRST_SLOT ? archive : join(archive, `slot-${slot}`);

/** The slot that a folder in an archive belongs to, by its name. */
export function slotOfFolder(name: string): number | undefined {
  const [, slot] = /^slot-(\d{1,4})$/.exec(name) ?? [];
  return slot === undefined ? undefined : Number(slot);
}

/** The complete files of an archive, by their rows. A missing folder is an empty archive. */
export async function listArchive(folder: string): Promise<ArchiveFile[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (recordOf(error)["code"] === "ENOENT") return [];
    throw error;
  });
  return names.sort().flatMap((name) => {
    const [, first, last] = NAME.exec(name) ?? [];
    return first === undefined ? [] : [{ name, first: Number(first), last: Number(last) }];
  });
}

/**
 * Stores rows in the archive, and resolves with the name and the SHA-256 of the file when it is complete and
 * on disk, and was read back. If an interrupted run has stored the same rows, the file is only compared.
 *
 * @param lines the rows, without line ends
 * @throws {GatewayError} `audit-failed` if the file cannot be written, or has other rows
 */
export async function storeArchive(
  folder: string,
  manifest: ArchiveManifest,
  lines: AsyncIterable<string>,
): Promise<{ name: string; sha256: string }> {
  const name = nameOf(manifest.first.seq, manifest.last.seq);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const files = await readdir(folder);
    const unfinished = `.${name.slice(0, -".jsonl.gz".length - 17)}`;
    for (const each of files)
      if (each.startsWith(unfinished) && each.endsWith(".part")) await rm(join(folder, each));
    const text = createHash("sha256");
    const parts = hashed(text, textOf(manifest, lines));
    if (files.includes(name)) {
      for await (const _ of parts);
      const found = await hashesOf(join(folder, name));
      if (found.text === text.digest("hex")) return { name, sha256: found.file };
      throw new Error(
        `${name} is there, but has other rows: give each gateway its own folder, or move the file away`,
      );
    }
    const part = join(folder, `.${name}.part`);
    try {
      await pipeline(Readable.from(parts), createGzip(), createWriteStream(part, { mode: 0o600 }));
      await flush(part);
      const found = await hashesOf(part);
      if (found.text !== text.digest("hex")) throw new Error(`${name} has other contents than were written`);
      await rename(part, join(folder, name));
      await flushFolder(folder);
      return { name, sha256: found.file };
    } catch (error) {
      await rm(part, { force: true }).catch(() => {});
      throw error;
    }
  } catch (cause) {
    const message = `the audit log cannot be archived in ${folder}, so no row is removed: ${messageOf(cause)}`;
    throw new GatewayError("audit-failed", message, { cause });
  }
}

async function* textOf(manifest: ArchiveManifest, lines: AsyncIterable<string>): AsyncGenerator<string> {
  let text = `${JSON.stringify(manifest)}\n`;
  for await (const line of lines) {
    text += `${line}\n`;
    if (text.length < CHUNK) continue;
    yield text;
    text = "";
  }
  yield text;
}

/** Characters that are written together. */
const CHUNK = 32_768;

async function* hashed(hash: Hash, parts: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const part of parts) {
    hash.update(part);
    yield part;
  }
}

/** A rename may be on disk before the contents of the file. */
async function flush(path: string): Promise<void> {
  const file = await open(path, "r+");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes the new name durable. Windows cannot flush a folder, and does not need to. */
async function flushFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Reads the text of a file; `file` gets its bytes. */
function readText(path: string, file: Hash): Readable {
  const bytes = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      file.update(chunk);
      done(null, chunk);
    },
  });
  const text = createGunzip();
  // The reader of the text gets the error.
  pipeline(createReadStream(path), bytes, text).catch(() => {});
  return text;
}

async function hashesOf(path: string): Promise<{ file: string; text: string }> {
  const file = createHash("sha256");
  const text = createHash("sha256");
  for await (const chunk of readText(path, file) as AsyncIterable<Buffer>) text.update(chunk);
  return { file: file.digest("hex"), text: text.digest("hex") };
}

/** The contents of a file while it is read. */
export interface ArchiveReading {
  readonly manifest: ArchiveManifest;
  /** The rows. Throws if the file is damaged. */
  readonly rows: AsyncIterable<CheckedRow>;
  /** The SHA-256 of the file, after all rows were read. */
  sha256(): string;
}

/**
 * Opens a file for verification.
 *
 * @throws {Error} if it is not an archive file, or damaged
 */
export async function readArchive(
  folder: string,
  { name, first, last }: ArchiveFile,
): Promise<ArchiveReading> {
  const hash = createHash("sha256");
  const lines = linesOf(readText(join(folder, name), hash) as AsyncIterable<Buffer>);
  const line = await lines.next();
  const manifest = readManifest(line.done ? "" : line.value);
  if (manifest?.first.seq !== first || manifest.last.seq !== last)
    throw new Error("its first line does not describe the rows in its name");
  async function* rows(): AsyncGenerator<CheckedRow> {
    let number = 1;
    for await (const text of lines) {
      number++;
      const row = readLine(text);
      if (!row) throw new Error(`line ${number} is not a row of an audit log`);
      yield row;
    }
  }
  return { manifest, rows: rows(), sha256: () => hash.copy().digest("hex") };
}

/** Lines end with a line feed and nothing else: other line separators may be part of a row. */
async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest) yield rest;
}

function readManifest(line: string): ArchiveManifest | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  const { format, version, after, first, last, from, to } = recordOf(value);
  const heads = [after, first, last].map(readHead);
  const [a, f, l] = heads;
  if (format !== "vitrine-audit" || version !== 1 || !a || !f || !l) return undefined;
  return { format, version, after: a, first: f, last: l, from: Number(from), to: Number(to) };
}

function readHead(value: unknown): AuditHead | undefined {
  const { seq, hash } = recordOf(value);
  return typeof seq === "number" && typeof hash === "string" ? { seq, hash } : undefined;
}
