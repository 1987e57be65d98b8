/**
 * Parses settings files: JSON with comments and trailing commas.
 *
 * @module
 */

const SPACE = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
const STRING = /"(?:[^"\\\n]|\\.)*"/y;
const PLAIN = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true\b|false\b|null\b/y;
const MAX_DEPTH = 100;

/** The path of a member: `mcpServers.weather`, `args[0]`, `env["A B"]`. */
export function pathOf(path: string, key: string | number): string {
  const plain = /^[\w-][\w.-]*$/.test(String(key));
  const step = typeof key === "number" ? `[${key}]` : plain ? `.${key}` : `[${JSON.stringify(key)}]`;
  return (path + step).replace(/^\./, "");
}

/** A syntax error with its position. The message contains keys only, because values may be secrets. */
export class JsonError extends SyntaxError {
  constructor(
    /** The problem, and how to fix it. */
    readonly problem: string,
    readonly line: number,
    readonly column: number,
  ) {
    super(`line ${line}, column ${column}: ${problem}`);
    this.name = "JsonError";
  }
}

/** Additional results of {@link parseJson}. */
export interface Findings {
  /** Filled with the line of each member, by its path. */
  lines?: Map<string, number> | undefined;
  /** Whether a key may be duplicated, by its path and that of its object; then the last one counts. */
  twice?: ((path: string, parent: string) => boolean) | undefined;
}

/** A value with its position in the text. */
export interface JsonNode {
  readonly value: unknown;
  /** Position of its first character. */
  readonly start: number;
  /** Position after its last character. */
  readonly end: number;
  /** Of an object or a list, in the order of the text. */
  readonly members?: readonly JsonMember[] | undefined;
}

/** A member of an object or a list. */
export interface JsonMember {
  readonly key: string | number;
  /** Position of its key; in a list, of its value. */
  readonly start: number;
  readonly node: JsonNode;
}

/**
 * Parses JSON with comments and trailing commas, as VS Code writes it. A duplicate key is an error: for two
 * servers of the same name, or two rules for the same method, it is unclear which one is meant.
 *
 * @throws {JsonError}
 */
export const parseJson = (text: string, findings: Findings = {}): unknown =>
  parseJsonNodes(text, findings).value;

/** Parses like {@link parseJson}, and keeps the positions. */
export function parseJsonNodes(text: string, { lines, twice }: Findings = {}): JsonNode {
  let at = text.startsWith("\uFEFF") ? 1 : 0;
  let counted = 0;
  let line = 1;

  /** Records the line of a member. Members come in order, so each line is counted once. */
  const note = (path: string, position: number): void => {
    if (!lines) return;
    for (; counted < position; counted++) if (text[counted] === "\n") line++;
    lines.set(path, line);
  };

  const fail = (problem: string, position = at): never => {
    const before = text.slice(0, position).split("\n");
    const column = (before.at(-1)?.length ?? 0) + 1;
    const isOver = position >= text.length;
    throw new JsonError(
      isOver ? "the text ends too early; close all brackets and quotes" : problem,
      before.length,
      column,
    );
  };
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const [found = ""] = pattern.exec(text) ?? [];
    at += found.length;
    return found;
  };
  /** The next character that is neither space nor comment. */
  const peek = (): string => {
    take(SPACE);
    return text[at] ?? "";
  };
  const skip = (character: string): void => {
    if (peek() !== character) fail(`a "${character}" is missing here; add it`);
    at++;
  };
  const token = (pattern: RegExp, what: string, fix: string): unknown => {
    const start = at;
    const found = take(pattern);
    if (!found && text[at] === '"') fail('this string does not end in its line; close it with "');
    if (!found) fail(`${what} is missing here; ${fix}`);
    try {
      return JSON.parse(found);
    } catch {
      // The parser's own message would quote the text.
      return fail("this string is not valid JSON; write \\\\ for a backslash, and \\t for a tab", start);
    }
  };
  /** Parses comma-separated items between brackets. */
  const items = (end: string, item: () => void): void => {
    at++;
    while (peek() !== end) {
      item();
      if (peek() !== end) skip(",");
    }
    at++;
  };

  const value = (depth: number, path: string): JsonNode => {
    const next = peek();
    const start = at;
    if (depth > MAX_DEPTH) fail(`this is nested more than ${MAX_DEPTH} levels deep; flatten it`);
    const members: JsonMember[] = [];
    if (next === "[") {
      items("]", () => {
        const inside = pathOf(path, members.length);
        peek();
        note(inside, at);
        members.push({ key: members.length, start: at, node: value(depth + 1, inside) });
      });
      return { value: members.map(({ node }) => node.value), start, end: at, members };
    }
    if (next === "{") {
      const entries = new Map<string, unknown>();
      items("}", () => {
        const start = at;
        const key = String(token(STRING, "a key", 'write it in quotes ("…")'));
        const inside = pathOf(path, key);
        if (entries.has(key) && !twice?.(inside, path))
          fail(`the key ${JSON.stringify(key)} is duplicated; remove one of them`, start);
        note(inside, start);
        skip(":");
        const node = value(depth + 1, inside);
        members.push({ key, start, node });
        entries.set(key, node.value);
      });
      return { value: Object.fromEntries(entries), start, end: at, members };
    }
    const fix = 'write a text in quotes ("…"), a number, true, false, null, [ ] or { }';
    return { value: token(next === '"' ? STRING : PLAIN, "a value", fix), start, end: at };
  };

  if (!peek()) throw new JsonError("the text is empty; write at least {}", 1, 1);
  const parsed = value(0, "");
  if (peek()) fail("this follows the end of the text; remove it");
  return parsed;
}

/** The position after all spaces and comments that begin at a position. */
export function afterSpace(text: string, position: number): number {
  SPACE.lastIndex = position;
  return position + (SPACE.exec(text)?.[0].length ?? 0);
}
