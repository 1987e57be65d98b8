/**
 * The text of a settings file: JSON, and what editors let people write in it.
 *
 * @module
 */

const SPACE = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
const STRING = /"(?:[^"\\\n]|\\.)*"/y;
const PLAIN = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true\b|false\b|null\b/y;
const MAX_DEPTH = 100;

/** The path of a part of something: `mcpServers.weather`, `args[0]`, `env["A B"]`. */
export function pathOf(path: string, key: string | number): string {
  const plain = /^[\w-][\w.-]*$/.test(String(key));
  const step = typeof key === "number" ? `[${key}]` : plain ? `.${key}` : `[${JSON.stringify(key)}]`;
  return (path + step).replace(/^\./, "");
}

/** What is wrong with a text, and where. It repeats nothing but keys: the text may hold secrets. */
export class JsonError extends SyntaxError {
  constructor(
    /** What is wrong, and what to do. */
    readonly problem: string,
    readonly line: number,
    readonly column: number,
  ) {
    super(`line ${line}, column ${column}: ${problem}`);
    this.name = "JsonError";
  }
}

/** What {@link parseJson} tells beside the value. */
export interface Findings {
  /** Gets the line in which each part begins, by its path. */
  lines?: Map<string, number> | undefined;
  /** Whether a key may be there twice, by its path and that of the object it is in; the last one counts then. */
  twice?: ((path: string, parent: string) => boolean) | undefined;
}

/**
 * Parses JSON with comments and commas after the last item, as VS Code writes it. A key that is there twice is an
 * error: of two servers of one name, or two rules for one method, nobody knows which was meant.
 *
 * @throws {JsonError}
 */
export function parseJson(text: string, { lines, twice }: Findings = {}): unknown {
  let at = text.startsWith("\uFEFF") ? 1 : 0;
  let counted = 0;
  let line = 1;

  /** Notes the line of a part. They come in order, so that every line is counted once. */
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
      isOver ? "the text ends too early; close what is open" : problem,
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
    if (!found && text[at] === '"') fail('this text does not end in its line; close it with "');
    if (!found) fail(`${what} is missing here; ${fix}`);
    try {
      return JSON.parse(found);
    } catch {
      // The parser's own message would repeat the text.
      return fail("this text is no JSON; write \\\\ for a backslash, and \\t for a tab", start);
    }
  };
  /** What stands between brackets, with commas. */
  const items = (end: string, item: () => void): void => {
    at++;
    while (peek() !== end) {
      item();
      if (peek() !== end) skip(",");
    }
    at++;
  };

  const value = (depth: number, path: string): unknown => {
    const next = peek();
    if (depth > MAX_DEPTH) fail(`this is nested more than ${MAX_DEPTH} deep; make it flatter`);
    if (next === "[") {
      const list: unknown[] = [];
      items("]", () => {
        const inside = pathOf(path, list.length);
        peek();
        note(inside, at);
        list.push(value(depth + 1, inside));
      });
      return list;
    }
    if (next === "{") {
      const entries = new Map<string, unknown>();
      items("}", () => {
        const start = at;
        const key = String(token(STRING, "a key", 'write it in quotes ("…")'));
        const inside = pathOf(path, key);
        if (entries.has(key) && !twice?.(inside, path))
          fail(`the key ${JSON.stringify(key)} is there twice; take one of them out`, start);
        note(inside, start);
        skip(":");
        entries.set(key, value(depth + 1, inside));
      });
      return Object.fromEntries(entries);
    }
    const fix = 'write a text in quotes ("…"), a number, true, false, null, [ ] or { }';
    return token(next === '"' ? STRING : PLAIN, "a value", fix);
  };

  if (!peek()) throw new JsonError("there is nothing in it; write at least {}", 1, 1);
  const parsed = value(0, "");
  if (peek()) fail("this comes after the end; take it out");
  return parsed;
}
