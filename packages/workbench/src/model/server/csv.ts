/**
 * Reads tables of comma-separated values (RFC 4180).
 *
 * @module
 */

/** A table. */
export interface CsvTable {
  readonly rows: readonly (readonly string[])[];
  /** Whether there are more rows than were read. */
  readonly isCut: boolean;
}

/** Options of {@link readCsv}. */
export interface CsvOptions {
  /** `,` by default. */
  readonly separator?: string;
  /** Rows that are read; 1,000 by default. */
  readonly most?: number;
}

/** Rows, and cells of each, that are read by default. */
const MOST_ROWS = 1_000;
const MOST_CELLS = 200;

/**
 * Reads a table. A quote that is never closed reaches to the end, a quote within an unquoted cell is a character like
 * others, and rows may differ in length: real files break the rules.
 */
export function readCsv(text: string, { separator = ",", most = MOST_ROWS }: CsvOptions = {}): CsvTable {
  const rows: string[][] = [];
  let at = text.startsWith("\uFEFF") ? 1 : 0;
  while (at < text.length && rows.length < most) {
    const row: string[] = [];
    for (;;) {
      const [cell, end] = text[at] === '"' ? quoted(text, at) : plain(text, at, separator);
      // Text after a closing quote belongs to the cell.
      const [rest, next] = plain(text, end, separator);
      if (row.length < MOST_CELLS) row.push(text[at] === '"' ? cell + rest : cell);
      at = next;
      if (text[at] !== separator) break;
      at++;
    }
    rows.push(row);
    at += text.startsWith("\r\n", at) ? 2 : 1;
  }
  return { rows, isCut: at < text.length };
}

/** A cell in quotes, in which two quotes stand for one. */
function quoted(text: string, start: number): [cell: string, end: number] {
  let cell = "";
  for (let at = start + 1; ; ) {
    const end = text.indexOf('"', at);
    if (end === -1) return [cell + text.slice(at), text.length];
    cell += text.slice(at, end);
    if (text[end + 1] !== '"') return [cell, end + 1];
    cell += '"';
    at = end + 2;
  }
}

/** The text up to the next separator or line end. */
function plain(text: string, start: number, separator: string): [cell: string, end: number] {
  let end = start;
  while (end < text.length && text[end] !== separator && text[end] !== "\n" && text[end] !== "\r") end++;
  return [text.slice(start, end), end];
}
