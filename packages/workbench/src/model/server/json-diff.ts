/**
 * The differences between two JSON values, field by field.
 *
 * @module
 */

/** A field that differs. */
export interface FieldChange {
  /** Its path, such as `inputSchema.properties.city.type`; empty for the value itself. */
  readonly path: string;
  readonly kind: "added" | "removed" | "changed";
  readonly before?: unknown;
  readonly after?: unknown;
}

/** Differences that are listed, and levels that are compared. */
const MOST = 500;
const MAX_DEPTH = 100;

/** The differences, in the order of the fields. Fields that are `undefined` are absent. */
export function jsonDiff(before: unknown, after: unknown): FieldChange[] {
  const changes: FieldChange[] = [];
  const compare = (a: unknown, b: unknown, path: string, depth: number): void => {
    if (changes.length >= MOST || Object.is(a, b)) return;
    if (a === undefined) changes.push({ path, kind: "added", after: b });
    else if (b === undefined) changes.push({ path, kind: "removed", before: a });
    else if (isObject(a) && isObject(b) && Array.isArray(a) === Array.isArray(b) && depth < MAX_DEPTH) {
      for (const key of new Set([...Object.keys(a), ...Object.keys(b)]))
        compare(own(a, key), own(b, key), fieldPath(path, key, Array.isArray(a)), depth + 1);
    } else changes.push({ path, kind: "changed", before: a, after: b });
  };
  compare(before, after, "", 0);
  return changes;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

const own = (value: Readonly<Record<string, unknown>>, key: string): unknown =>
  Object.hasOwn(value, key) ? value[key] : undefined;

function fieldPath(path: string, key: string, isList: boolean): string {
  if (isList) return `${path}[${key}]`;
  const name = /^[\w$-]+$/.test(key) ? key : JSON.stringify(key);
  return path === "" ? name : `${path}.${name}`;
}
