/**
 * Locations in a JSON text: the line of a wrong field, and of a syntax error. `JSON.parse` reports neither.
 *
 * @module
 */

/** Maximum depth, more than any real file has. */
const MAX_DEPTH = 100;

/** Result of {@link jsonPlaces}. */
export interface JsonPlaces {
  /** Start of each value by its path, such as `it.meta.csp[0]`. */
  readonly starts: ReadonlyMap<string, number>;
  /** Position of the syntax error, if there is one. */
  readonly failedAt?: number | undefined;
}

/** Scans the text up to the first syntax error. */
export function jsonPlaces(text: string, root = "it"): JsonPlaces {
  const starts = new Map<string, number>();
  let at = 0;
  const skip = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const [found] = pattern.exec(text) ?? [];
    if (found !== undefined) at += found.length;
    return found;
  };
  const space = (): unknown => skip(/[ \t\r\n]*/y);
  const want = (pattern: RegExp): string => {
    space();
    const found = skip(pattern);
    if (found === undefined) throw new Failed();
    return found;
  };
  const value = (path: string, depth: number): void => {
    space();
    if (depth > MAX_DEPTH) throw new Failed();
    if (!starts.has(path)) starts.set(path, at);
    if (skip(/\{/y)) members(/\}/y, () => member(path, depth));
    else if (skip(/\[/y)) {
      let index = 0;
      members(/\]/y, () => value(`${path}[${index++}]`, depth + 1));
    } else want(SCALAR);
  };
  const member = (path: string, depth: number): void => {
    space();
    const start = at;
    const name = JSON.parse(want(STRING)) as string;
    const own = `${path}.${name}`;
    // A field's location is that of its name.
    starts.set(own, start);
    want(/:/y);
    value(own, depth + 1);
  };
  const members = (end: RegExp, each: () => void): void => {
    space();
    if (skip(end)) return;
    do each();
    while (!skipped(end) && want(/,/y));
  };
  const skipped = (end: RegExp): boolean => {
    space();
    return skip(end) !== undefined;
  };
  try {
    value(root, 0);
    want(/$/y);
    return { starts };
  } catch (error) {
    if (error instanceof Failed) return { starts, failedAt: at };
    throw error;
  }
}

class Failed extends Error {}

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them in strings
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SCALAR = new RegExp(
  `${STRING.source}|-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?|true|false|null`,
  "y",
);

/** Line number of a position, from 1. */
export const lineAt = (text: string, at: number): number => text.slice(0, at).split("\n").length;
