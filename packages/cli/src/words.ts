/**
 * Splits a command into words like a shell, without being one.
 *
 * @module
 */
import { usage } from "./exit.js";

/** Shell operators. Only one program is started here, so they are refused rather than passed on. */
const OPERATORS: readonly (readonly [RegExp, string])[] = [
  [/^(\|\||&&|\||;|&|\n)/, "joins commands"],
  [/^(>|<)/, "redirects files"],
  [/^(\$\(|`)/, "runs another command"],
  [/^\$\{?[A-Za-z_]/, "reads a variable"],
];

/**
 * The words of a command. Quotes and backslashes work as in a POSIX shell; nothing is expanded, and no shell
 * is started.
 *
 * @throws {CliError} `usage` for pipes, redirections, substitutions and unclosed quotes
 */
export function splitWords(command: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let at = 0;
  const add = (text: string): void => {
    word = (word ?? "") + text;
  };
  while (at < command.length) {
    const rest = command.slice(at);
    const [first = ""] = rest;
    if (/[ \t]/.test(first)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      at++;
    } else if (first === "'") {
      const end = rest.indexOf("'", 1);
      if (end < 0) throw open("'");
      add(rest.slice(1, end));
      at += end + 1;
    } else if (first === '"') {
      const [whole = "", inside = ""] = /^"((?:[^"\\]|\\[\s\S])*)"/.exec(rest) ?? [];
      if (!whole) throw open('"');
      refuse(inside, /^(\$\(|`|\$\{?[A-Za-z_])/);
      add(inside.replace(/\\([$`"\\])/g, "$1").replace(/\\\n/g, ""));
      at += whole.length;
    } else if (first === "\\") {
      if (rest.length < 2) throw usage("the command ends with a backslash: remove it, or write \\\\");
      add(rest.slice(1, 2));
      at += 2;
    } else {
      refuseHere(rest);
      add(first);
      at++;
    }
  }
  if (word !== undefined) words.push(word);
  return words;
}

const open = (quote: string) => usage(`unclosed ${quote} in the command: add another ${quote}`);

/** In double quotes, a shell still expands some characters anywhere. */
function refuse(text: string, pattern: RegExp): void {
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (pattern.test(text.slice(at))) refuseHere(text.slice(at));
  }
}

function refuseHere(rest: string): void {
  for (const [pattern, effect] of OPERATORS) {
    const [found] = pattern.exec(rest) ?? [];
    if (found === undefined) continue;
    throw usage(
      `"${found === "\n" ? "a new line" : found}" ${effect}, and no shell is run here: name one program with its arguments, put ${found === "\n" ? "it" : `'${found}'`} in single quotes if it is meant literally, or write a script and name that`,
    );
  }
}
