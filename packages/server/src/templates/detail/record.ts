/**
 * The record of a tool's data, and arguments that are made from it.
 *
 * @module
 */

/** A record: members by their names. */
export type Json = Record<string, unknown>;

/** Whether a value has members of its own. */
export const isRecord = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * The record that data is, or the first of a list. `{ items: [one] }` is a list too, if it has nothing else: an order has a member `items`, and is a
 * record.
 *
 * @param keys those that the record is known to have
 */
export function recordOf(data: unknown, keys: readonly string[] = []): Json | undefined {
  const isWrapped = isRecord(data) && Object.keys(data).length === 1 && !keys.includes("items");
  const list = isWrapped ? data["items"] : data;
  const first = Array.isArray(list) ? list[0] : data;
  return isRecord(first) ? first : undefined;
}

/** Arguments, with members of the record in place of texts like `"{id}"`: as they are, so that numbers stay numbers. */
export function filled(value: unknown, record: Json): unknown {
  if (Array.isArray(value)) return value.map((each) => filled(each, record));
  if (isRecord(value))
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, filled(each, record)]));
  const [, key] = (typeof value === "string" && /^\{([^{}]+)\}$/.exec(value)) || [];
  return key === undefined ? value : Object.hasOwn(record, key) ? record[key] : undefined;
}
