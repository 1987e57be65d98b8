/**
 * The texts in a script, and what stands before each: without a parser, but with comments, regular expressions and templates told
 * apart.
 *
 * @module
 */

/** A text in a script. */
export interface ScriptString {
  /** The text itself; of a template what stands before its first `${`. */
  readonly text: string;
  /** The three words or signs before it, the nearest first. */
  readonly before: readonly string[];
  /** Where it ends. */
  readonly end: number;
}

const SPACE = /(?:\s+|\/\/[^\n\r]*|\/\*[\s\S]*?(?:\*\/|$))+/y;
const QUOTED = /"([^"\\\n]*(?:\\[\s\S][^"\\\n]*)*)"|'([^'\\\n]*(?:\\[\s\S][^'\\\n]*)*)'/y;
const REGULAR = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/y;
const WORD = /[\w$\u0080-\uffff]+/y;
/** A template from its quote, or from the end of a value in it, to the next value or its end. */
const CHUNK = /[`}]([^`\\$]*(?:(?:\\[\s\S]|\$(?!\{))[^`\\$]*)*)(`|\$\{|$)/y;

/** After these a `/` begins a regular expression; after any other word it divides. */
const OPERATORS =
  /^(?:return|typeof|instanceof|in|of|new|delete|void|throw|case|do|else|yield|await|default)$/;
const CONDITIONS = /^(?:if|while|for|with)$/;

/** All texts of a script. */
export function* stringsOf(code: string): Generator<ScriptString> {
  let before: readonly string[] = [];
  /** What is open: a condition's `(`, another one, a block, or a value in a template. */
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

/** Whether a value may begin after this. A `}` most often ends a block. */
function mayBegin([last = "", other = ""]: readonly string[]): boolean {
  if (/^[\w$\u0080-\uffff]/.test(last)) return OPERATORS.test(last) && other !== ".";
  // After `count++` comes no value.
  if ((last === "+" || last === "-") && last === other) return false;
  return last !== '"' && last !== "]";
}

function matchAt(pattern: RegExp, code: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(code) ?? undefined;
}
