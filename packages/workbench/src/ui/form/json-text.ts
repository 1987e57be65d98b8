/**
 * Parses JSON that a user types, with the position of an error.
 *
 * @module
 */

/** The value, or the problem. */
export type ReadJson =
  | { readonly value: Record<string, unknown>; readonly problem?: undefined }
  | { readonly value?: undefined; readonly problem: string };

/** Parses the arguments of a tool. */
export function readArguments(text: string): ReadJson {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const at = errorAt(text);
    const before = text.slice(0, at).split("\n");
    const column = (before.at(-1)?.length ?? 0) + 1;
    const found =
      at >= text.trimEnd().length ? "it ends too early" : `${JSON.stringify(text[at])} is not expected there`;
    return { problem: `This is not JSON: line ${before.length}, column ${column}: ${found}.` };
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return { value: value as Record<string, unknown> };
  return { problem: "The arguments of a tool are an object: begin with { and end with }." };
}

const SPACE = /[ \t\n\r]*/y;
const STRING = /"(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/uy;
const OTHER = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** The position of the first syntax error: browsers do not agree on whether and how they report it. */
export function errorAt(text: string): number {
  let at = 0;
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (!found) return false;
    at += found[0].length;
    return true;
  };
  const takeText = (expected: string): boolean => {
    take(SPACE);
    if (!text.startsWith(expected, at)) return false;
    at += expected.length;
    return true;
  };
  /** Members or items, up to the closing bracket. */
  const list = (end: string, member: () => boolean): boolean => {
    if (takeText(end)) return true;
    do if (!member()) return false;
    while (takeText(","));
    return takeText(end);
  };
  const key = (): boolean => {
    take(SPACE);
    return take(STRING) && takeText(":") && value();
  };
  const value = (): boolean => {
    if (takeText("{")) return list("}", key);
    if (takeText("[")) return list("]", value);
    return take(STRING) || take(OTHER);
  };
  value();
  take(SPACE);
  return at;
}
