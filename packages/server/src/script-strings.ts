/**
 * Finds the strings in a script, with the tokens before each. It is not a parser, but it recognizes comments,
 * regular expressions and templates.
 *
 * @module
 */

/** A string in a script. */
export interface ScriptString {
  /** The string itself; for a template, the part before its first `${`. */
  readonly text: string;
  /** The three tokens before it, the nearest first. */
  readonly before: readonly string[];
  /** Position of its end. */
  readonly end: number;
}

const SPACE = /(?:\s+|\/\/[^\n\r]*|\/\*[\s\S]*?(?:\*\/|$))+/y;
const QUOTED = /"([^"\\\n]*(?:\\[\s\S][^"\\\n]*)*)"|'([^'\\\n]*(?:\\[\s\S][^'\\\n]*)*)'/y;
const REGULAR = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/y;
const WORD = /[\w$\u0080-\uffff]+/y;
/** A part of a template, from its quote or the end of a value, to the next value or its end. */
const CHUNK = /[`}]([^`\\$]*(?:(?:\\[\s\S]|\$(?!\{))[^`\\$]*)*)(`|\$\{|$)/y;

/** After these words a `/` starts a regular expression; after any other word it divides. */
const OPERATORS =
  /^(?:return|typeof|instanceof|in|of|new|delete|void|throw|case|do|else|yield|await|default)$/;
const CONDITIONS = /^(?:if|while|for|with)$/;

/** Yields all strings of a script. */
export function* stringsOf(code: string): Generator<ScriptString> {
  let before: readonly string[] = [];
  /** Open brackets: a condition's `(`, another bracket, a block, or a value in a template. */
  const open: ("condition" | "other" | "value")[] = [];
  let wasCondition = false;
  for (let at = 0; at < code.length; ) {
    const space = matchAt(SPACE, code, at);
    if (space) {
      at += space[0].length;
      continue;
    }
    const sign = code.charAt(at);
    const isChunk = sign === "`" || (sign === "}" && open.at(-1) === "value");
    const chunk = isChunk ? matchAt(CHUNK, code, at) : undefined;
    const quoted = sign === '"' || sign === "'" ? matchAt(QUOTED, code, at) : undefined;
    const isRegular = sign === "/" && (before[0] === ")" ? wasCondition : mayBegin(before));
    const taken =
      chunk ?? quoted ?? (isRegular ? matchAt(REGULAR, code, at) : undefined) ?? matchAt(WORD, code, at);
    at += taken?.[0].length ?? 1;
    if (chunk || quoted) {
      const text = (chunk?.[1] ?? quoted?.[1] ?? quoted?.[2] ?? "").replace(/\\(.)/g, "$1");
      if (sign !== "}") yield { text, before, end: at };
      if (sign === "}") open.pop();
      if (chunk?.[2] === "${") open.push("value");
      before = [chunk?.[2] === "${" ? "(" : '"', ...before.slice(0, 2)];
      continue;
    }
    if (sign === "(") open.push(CONDITIONS.test(before[0] ?? "") ? "condition" : "other");
    else if (sign === "{") open.push("other");
    else if (sign === ")" || sign === "}") wasCondition = open.pop() === "condition";
    before = [isRegular && taken ? '"' : (taken?.[0] ?? sign), ...before.slice(0, 2)];
  }
}

/** Whether a value may follow. A `}` usually ends a block. */
function mayBegin([last = "", other = ""]: readonly string[]): boolean {
  if (/^[\w$\u0080-\uffff]/.test(last)) return OPERATORS.test(last) && other !== ".";
  // No value follows `count++`.
  if ((last === "+" || last === "-") && last === other) return false;
  return last !== '"' && last !== "]";
}

function matchAt(pattern: RegExp, code: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(code) ?? undefined;
}
