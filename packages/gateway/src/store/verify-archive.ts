/**
 * Verifies archive files: each of them, and that the chain continues from one to the next.
 *
 * @module
 */
import { recordOf } from "@vitrine/protocol";
import { messageOf } from "@vitrine/servers/support";
import { type ArchiveFile, listArchive, readArchive } from "./archive.js";
import { ChainCheck, type CheckedRow, PRUNE_MARK } from "./chain-check.js";
import type { RowFields } from "./row.js";
import type { AuditHead, Verification } from "./store.js";

/** The result of a verification of archive files. */
export interface ArchiveVerification {
  readonly files: number;
  /** The numbers of the first and the last row. */
  readonly first: number;
  readonly last: number;
  readonly result: Verification;
}

/** The files that were verified, and the chain up to their end: the rows of the database continue it. */
export interface CheckedArchive extends ArchiveVerification {
  readonly check: ChainCheck;
  /** The SHA-256 of each file. */
  readonly hashes: ReadonlyMap<string, string>;
}

/**
 * Verifies the files of an archive without the database.
 *
 * A break that was accepted later than the last file is reported: verify the archive together with the database then.
 *
 * @example
 * ```ts source="./store.examples.ts#verifyArchive"
 * const { files, result } = await verifyArchive("/backup/audit");
 * if (!result.ok) throw new Error(`row ${result.seq}: ${result.message}`);
 * ```
 */
export async function verifyArchive(folder: string): Promise<ArchiveVerification> {
  const { files, first, last, result } = await checkArchive(folder);
  return { files, first, last, result };
}

/**
 * Reads all files in the order of their rows.
 *
 * @param start the row before the first one of the whole chain
 */
export async function checkArchive(folder: string, start?: AuditHead): Promise<CheckedArchive> {
  const files = await listArchive(folder);
  const hashes = new Map<string, string>();
  const marks: [string, string][] = [];
  let check: ChainCheck | undefined;
  let problem: Verification | undefined;
  for (const file of files) {
    try {
      const { manifest, rows, sha256 } = await readArchive(folder, file);
      check ??= new ChainCheck(manifest.after);
      for await (const row of rows) {
        check.add(row);
        marks.push(...archiveIn(row));
      }
      const { seq, hash } = check.head;
      if (seq !== manifest.last.seq || hash !== manifest.last.hash)
        throw new Error(`it ends at row ${seq} instead of row ${manifest.last.seq}`);
      hashes.set(file.name, sha256());
    } catch (error) {
      problem = broken(file, messageOf(error), check);
      break;
    }
  }
  const checked = check ?? new ChainCheck(start);
  const result = problem ?? wrongFile(marks, hashes, checked) ?? checked.result();
  const [first, last] = [files[0]?.first ?? 0, files.at(-1)?.last ?? 0];
  return { files: files.length, first, last, result, check: checked, hashes };
}

const broken = ({ name, first }: ArchiveFile, why: string, check: ChainCheck | undefined): Verification => ({
  ok: false,
  rows: check?.result().rows ?? 0,
  seq: first,
  message: `the archive file ${name} is damaged: ${why}`,
});

/** The result if a file is not the one that a mark names. Files may be missing: somebody moved them away. */
export function wrongFile(
  marks: readonly (readonly [name: string, sha256: string])[],
  hashes: ReadonlyMap<string, string>,
  check: ChainCheck,
): Verification | undefined {
  const [wrong] = marks.find(([name, hash]) => (hashes.get(name) ?? hash) !== hash) ?? [];
  if (wrong === undefined) return undefined;
  const message = `the archive file ${wrong} is not the one that was written: its SHA-256 differs from the log`;
  return { ok: false, rows: check.result().rows, seq: check.head.seq, message };
}

/** The name and the SHA-256 of the archive file that a mark names. */
export function archiveIn(row: RowFields | CheckedRow): [string, string][] {
  if (row.kind !== "mark" || row.method !== PRUNE_MARK) return [];
  try {
    const { name, sha256 } = recordOf(recordOf(JSON.parse(row.params ?? "null"))["archive"]);
    return typeof name === "string" && typeof sha256 === "string" ? [[name, sha256]] : [];
  } catch {
    return [];
  }
}
