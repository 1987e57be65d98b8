/**
 * Exports the audit log as text, and verifies such a text anywhere.
 *
 * @module
 */
import { recordOf } from "@vitrine/protocol";
import { GatewayError } from "@vitrine/wire";
import { ChainCheck, type CheckedRow, prunedThrough } from "./chain-check.js";
import { type RowFields, rowHash, rowText } from "./row.js";
import type { AuditHead, AuditLog, AuditQuery, Verification } from "./store.js";

/** The format of an export: one JSON object per line. */
export type ExportFormat = "jsonl";

/**
 * Rows as lines of text with line ends. The hash is the last member: a line without it is the text that was
 * hashed.
 *
 * @example
 * ```ts source="./store.examples.ts#exportRows"
 * await pipeline(exportRows(store.audit), createWriteStream(file));
 * ```
 */
export async function* exportRows(
  log: Pick<AuditLog, "rows">,
  format: ExportFormat = "jsonl",
  query: Omit<AuditQuery, "limit" | "newestFirst"> = {},
): AsyncGenerator<string> {
  if (format !== "jsonl")
    throw new GatewayError("config-invalid", `cannot export as ${String(format)}: use "jsonl"`);
  for await (const row of log.rows(query)) yield `${rowLine(row)}\n`;
}

const rowLine = (row: RowFields): string => `${rowText(row).slice(0, -1)},"hash":"${row.hash}"}`;

/**
 * Verifies the chain of a complete export, from the oldest row to the last.
 *
 * @param lines with or without line ends; empty lines are ignored
 * @param options.after the row before the first line, if the export starts in the middle
 * @param options.noted a head that was noted earlier: its row must exist
 * @example
 * ```ts source="./store.examples.ts#verifyExport"
 * const result = await verifyExport(createInterface(createReadStream(file)));
 * if (!result.ok) throw new Error(`row ${result.seq}: ${result.message}`);
 * ```
 */
export async function verifyExport(
  lines: AsyncIterable<string> | Iterable<string>,
  { after, noted }: { after?: AuditHead | undefined; noted?: AuditHead | undefined } = {},
): Promise<Verification> {
  let check: ChainCheck | undefined;
  // The first row of an export that starts in the middle, until a mark describes the rows before it.
  let unanchored: CheckedRow | undefined;
  let isNoted = noted === undefined || noted.seq === 0;
  let number = 0;
  for await (const line of lines) {
    number++;
    const text = line.trimEnd();
    if (!text) continue;
    const row = readLine(text);
    if (!row) {
      const seq = (check?.head.seq ?? 0) + 1;
      return { ok: false, rows: number - 1, seq, message: `line ${number} is not a row of an audit log` };
    }
    if (!check) {
      check = new ChainCheck(after);
      if (!after && row.seq !== 1) unanchored = row;
    }
    if (row === unanchored) check.trust(row);
    else check.add(row);
    const start = prunedThrough(row);
    if (
      unanchored &&
      start?.seq === unanchored.seq - 1 &&
      unanchored.hash === rowHash(start.hash, unanchored)
    ) {
      unanchored = undefined;
    }
    isNoted ||= row.seq === noted?.seq && row.hash === noted.hash;
  }
  const result = (check ?? new ChainCheck(after)).result();
  if (result.ok && unanchored) {
    const { seq } = unanchored;
    const message = `the export starts at row ${seq}, but no mark in it describes the rows before: provide row ${seq - 1}`;
    return { ok: false, rows: result.rows, seq, message };
  }
  if (result.ok && noted && !isNoted) return missingNoted(noted, result.rows);
  return result;
}

/** The result if the row of a noted head is missing. */
export const missingNoted = ({ seq }: AuditHead, rows: number): Verification => ({
  ok: false,
  rows,
  seq,
  message: `row ${seq} differs from the note: rows were removed from the end, or all were rewritten`,
});

/** Accepts only lines that {@link exportRows} writes: other members would not be covered by the hash. */
function readLine(text: string): CheckedRow | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { seq, hash, ...rest } = recordOf(value);
  if (typeof seq !== "number" || typeof hash !== "string") return undefined;
  const row = { seq, hash, ...rest } as CheckedRow;
  return rowLine(row) === text ? row : undefined;
}
