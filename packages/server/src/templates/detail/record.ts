/**
 * Reads the record in a tool's data, and builds arguments from it.
 *
 * @module
 */

/** A record: fields by name. */
import { isRecord } from "@vitrine/protocol";
export type Json = Record<string, unknown>;

/**
 * Returns the record, or the first of a list. `{ items: [one] }` is a list only if it has no other field: an
 * order is a record with a field `items`.
 *
 * @param keys fields that the record is known to have
 */
export function recordOf(data: unknown, keys: readonly string[] = []): Json | undefined {
  const isWrapped = isRecord(data) && Object.keys(data).length === 1 && !keys.includes("items");
  const list = isWrapped ? data["items"] : data;
  const first = Array.isArray(list) ? list[0] : data;
  return isRecord(first) ? first : undefined;
}

/**
 * Replaces strings like `"{id}"` with that field of the record. Values keep their type, so numbers stay
 * numbers.
 */
export function filled(value: unknown, record: Json): unknown {
  if (Array.isArray(value)) return value.map((each) => filled(each, record));
  if (isRecord(value))
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, filled(each, record)]));
  const [, key] = (typeof value === "string" && /^\{([^{}]+)\}$/.exec(value)) || [];
  return key === undefined ? value : Object.hasOwn(record, key) ? record[key] : undefined;
}
