/**
 * Data as text, for models and for clients without apps: a list of records becomes a table with `|` between
 * cells, a record becomes a list, other values stay as they are. The text reads well with or without Markdown
 * rendering.
 *
 * @module
 */

/** Maximum rows of a table. */
import { isRecord } from "@vitrine/protocol";

const MAX_ROWS = 100;
const MAX_COLUMNS = 20;

/**
 * Converts data to text.
 *
 * @example
 * ```ts source="./server.examples.ts#textOfData"
 * const text = textOfData([
 *   { city: "Berne", high: 21 },
 *   { city: "Rome", high: 30 },
 * ]);
 *
 * // | city | high |
 * // | --- | --- |
 * // | Berne | 21 |
 * // | Rome | 30 |
 * ```
 */
export function textOfData(data: unknown): string {
  if (Array.isArray(data)) return textOfList(data);
  if (!isRecord(data)) return word(data);
  const entries = Object.entries(data);
  // A record with a single list, such as `{ items: [...] }`, is treated as that list.
  const [first] = entries;
  if (entries.length === 1 && first && Array.isArray(first[1])) return textOfList(first[1]);
  const lines: string[] = [];
  const tables: string[] = [];
  for (const [name, value] of entries) {
    if (Array.isArray(value) && value.some(isRecord)) tables.push(`${name}:\n\n${textOfList(value)}`);
    else if (value !== undefined) lines.push(`- ${name}: ${word(value)}`);
  }
  return [lines.join("\n"), ...tables].filter(Boolean).join("\n\n") || "(nothing)";
}

function textOfList(list: readonly unknown[]): string {
  if (list.length === 0) return "(nothing)";
  const rows = list.slice(0, MAX_ROWS);
  const rest = list.length > MAX_ROWS ? `\n\n… and ${list.length - MAX_ROWS} more` : "";
  if (!rows.every(isRecord)) return rows.map((each) => `- ${word(each)}`).join("\n") + rest;
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].slice(0, MAX_COLUMNS);
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return (
    [
      line(columns.map(cell)),
      line(columns.map(() => "---")),
      ...rows.map((row) => line(columns.map((name) => cell(word(row[name]))))),
    ].join("\n") + rest
  );
}

/** A value in a sentence or a cell. */
function word(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return value;
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value) && !value.some((each) => typeof each === "object" && each !== null)) {
    return value.map(word).join(", ");
  }
  return JSON.stringify(value);
}

/** Escapes text for a cell of a Markdown table. */
export const cell = (text: string): string => text.replaceAll("|", "\\|").replace(/\s*\n\s*/g, " ");
