/**
 * Rows of the audit log as stored, and the text that is hashed.
 *
 * @module
 */
import { hash } from "node:crypto";
import { FIRST_SLOT, startOf } from "./chains.js";
import type { AuditHead, StoredAuditRow } from "./store.js";

/**
 * All fields but the hash, in the order of the hashed text. The order never changes; new fields are appended.
 */
export const FIELDS = [
  "seq",
  "time",
  "kind",
  "of",
  "user",
  "actor",
  "view",
  "server",
  "method",
  "target",
  "decision",
  "reason",
  "key",
  "paramsHash",
  "paramsSize",
  "params",
  "outcome",
  "code",
  "duration",
  "resultHash",
  "resultSize",
  "result",
  "identity",
  "trace",
] as const satisfies readonly (keyof StoredAuditRow)[];

type Field = (typeof FIELDS)[number];

/** A row with a value in every column. */
export type StoredRow = {
  [F in Field | "hash"]: undefined extends StoredAuditRow[F]
    ? Exclude<StoredAuditRow[F], undefined> | null
    : StoredAuditRow[F];
};

/** The fields of a row; absent and null fields have no value. */
export type RowFields = { readonly [F in keyof StoredAuditRow]?: StoredAuditRow[F] | null };

/** The head before the first row of a gateway alone. */
export const GENESIS: AuditHead = startOf(FIRST_SLOT);

/** SHA-256, in hexadecimal digits. */
export const sha256 = (text: string): string => hash("sha256", text);

/** The hashed text: compact JSON of the fields with a value, in order. */
export function rowText(row: RowFields): string {
  let text = "";
  for (const field of FIELDS) {
    const value = row[field];
    if (value === undefined || value === null) continue;
    text += `${text ? "," : "{"}"${field}":${typeof value === "number" ? value : JSON.stringify(value)}`;
  }
  return `${text}}`;
}

/** The hash of a row after one with the hash `previous`. */
export const rowHash = (previous: string, row: RowFields): string => sha256(previous + rowText(row));

/**
 * Appends a row to the chain. A row that cannot be written must not block the others, so every value is
 * converted into a form that both databases accept and return.
 */
export function chainRow(head: AuditHead, time: number, fields: RowFields): StoredRow {
  // Field by field: this runs for every call, and a growing object costs more than all its values.
  const row: StoredRow = {
    seq: head.seq + 1,
    time: integer(time) ?? 0,
    kind: fields.kind ?? "mark",
    of: integer(fields.of),
    user: name(fields.user),
    actor: fields.actor ?? null,
    view: text(fields.view),
    server: text(fields.server),
    method: text(fields.method),
    target: text(fields.target),
    decision: fields.decision ?? null,
    reason: text(fields.reason),
    key: name(fields.key),
    paramsHash: text(fields.paramsHash),
    paramsSize: integer(fields.paramsSize),
    params: text(fields.params),
    outcome: fields.outcome ?? null,
    code: text(fields.code),
    duration: decimal(fields.duration),
    resultHash: text(fields.resultHash),
    resultSize: integer(fields.resultSize),
    result: text(fields.result),
    identity: text(fields.identity),
    trace: text(fields.trace),
    hash: "",
  };
  row.hash = rowHash(head.hash, row);
  return row;
}

type Value<T> = T | null | undefined;
const text = (value: Value<string>) => (value === null || value === undefined ? null : storableText(value));
const name = (value: Value<string>) => (value === null || value === undefined ? null : indexable(value));
const integer = (value: Value<number>) => within(value, 1);
const decimal = (value: Value<number>) => within(value, 1000);

function within(value: Value<number>, parts: number): number | null {
  if (value === null || value === undefined || !Number.isFinite(value)) return null;
  const rounded = Math.round(value * parts) / parts;
  return Math.min(Math.max(rounded, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
}

/** Text for indexed columns: PostgreSQL does not index long texts. */
export const indexable = (text: string): string =>
  text.length > 200 ? `sha256:${sha256(text)}` : storableText(text);

/** Text that both databases return unchanged: U+0000 and lone surrogates are replaced. */
export const storableText = (text: string): string =>
  text.includes("\0") || SURROGATE.test(text)
    ? text.replaceAll("\0", "\ufffd").replace(/\p{Surrogate}/gu, "\ufffd")
    : text;

/** A lone surrogate or a pair: most texts contain neither. */
const SURROGATE = /[\ud800-\udfff]/;

/** A row for display, without empty columns. */
export function shownRow(stored: StoredRow): StoredAuditRow {
  const row: Record<string, unknown> = {};
  for (const field of FIELDS) if (stored[field] !== null) row[field] = stored[field];
  return { ...row, hash: stored.hash } as StoredAuditRow;
}

/** The approximate memory and time that a row takes. */
export const rowWeight = (row: RowFields): number =>
  500 + (row.params?.length ?? 0) + (row.result?.length ?? 0) + (row.target?.length ?? 0);
