/**
 * Exports the audit log as text, and verifies such a text anywhere.
 *
 * @module
 */
import { recordOf } from "@vitrine/protocol";
import { GatewayError } from "@vitrine/wire";
import { ChainCheck, type CheckedRow, prunedThrough } from "./chain-check.js";
import { FIRST_SLOT, slotOf, startOf } from "./chains.js";
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

/** A row as a line of an export, without its end. */
export const rowLine = (row: RowFields): string => `${rowText(row).slice(0, -1)},"hash":"${row.hash}"}`;

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
  let chain = new ExportedChain(after);
  let isNoted = noted === undefined || noted.seq === 0;
  let number = 0;
  let rows = 0;
  for await (const line of lines) {
    number++;
    const text = line.trimEnd();
    if (!text) continue;
    const row = readLine(text);
    if (!row) {
      const message = `line ${number} is not a row of an audit log`;
      return { ok: false, rows: number - 1, seq: chain.next, message };
    }
    // The chains of several nodes come one after the other.
    if (chain.isOver(row)) {
      const ended = chain.result();
      rows += ended.rows;
      if (!ended.ok) return { ...ended, rows };
      chain = new ExportedChain();
    }
    chain.add(row);
    isNoted ||= row.seq === noted?.seq && row.hash === noted.hash;
  }
  const last = chain.result();
  const result = { ...last, rows: rows + last.rows };
  if (result.ok && noted && !isNoted) return missingNoted(noted, result.rows);
  return result;
}

/** The check of the rows of one slot. */
class ExportedChain {
  readonly #after: AuditHead | undefined;
  #check: ChainCheck | undefined;
  #slot = FIRST_SLOT;
  /** The first row of an export that starts in the middle, until a mark describes the rows before it. */
  #unanchored: CheckedRow | undefined;

  constructor(after?: AuditHead) {
    this.#after = after;
  }

  /** The number of the next row. */
  get next(): number {
    return (this.#check?.head.seq ?? 0) + 1;
  }

  /** Whether the row is of another slot. */
  isOver({ seq }: CheckedRow): boolean {
    return this.#check !== undefined && slotOf(seq) !== this.#slot;
  }

  add(row: CheckedRow): void {
    if (!this.#check) {
      this.#slot = slotOf(row.seq);
      const start = this.#after ?? startOf(this.#slot);
      this.#check = new ChainCheck(start);
      if (!this.#after && row.seq !== start.seq + 1) this.#unanchored = row;
    }
    const first = this.#unanchored;
    if (row === first) this.#check.trust(row);
    else this.#check.add(row);
    const start = prunedThrough(row);
    if (first && start?.seq === first.seq - 1 && first.hash === rowHash(start.hash, first))
      this.#unanchored = undefined;
  }

  result(): Verification {
    const result = (this.#check ?? new ChainCheck(this.#after)).result();
    if (!result.ok || !this.#unanchored) return result;
    const { seq } = this.#unanchored;
    const message = `the export starts at row ${seq}, but no mark in it describes the rows before: provide row ${seq - 1}`;
    return { ok: false, rows: result.rows, seq, message };
  }
}

/** The result if the row of a noted head is missing. */
export const missingNoted = ({ seq }: AuditHead, rows: number): Verification => ({
  ok: false,
  rows,
  seq,
  message: `row ${seq} differs from the note: rows were removed from the end, or all were rewritten`,
});

/** Accepts only lines that {@link exportRows} writes: other members would not be covered by the hash. */
export function readLine(text: string): CheckedRow | undefined {
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
