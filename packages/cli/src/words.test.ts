import { describe, expect, it } from "vitest";
import { CliError } from "./exit.js";
import { splitWords } from "./words.js";

describe("splitWords", () => {
  it.each<[string, string[]]>([
    [
      "npx -y @modelcontextprotocol/server-debug --stdio",
      ["npx", "-y", "@modelcontextprotocol/server-debug", "--stdio"],
    ],
    ["  node\tserver.js  ", ["node", "server.js"]],
    ["'a b' \"c d\" e\\ f", ["a b", "c d", "e f"]],
    [`--name="Ana's" 'a "b"'`, ["--name=Ana's", 'a "b"']],
    ["'' \"\" x", ["", "", "x"]],
    [`"a\\"b\\\\c\\n"`, ['a"b\\c\\n']],
    ["'$(id)' '|' ';'", ["$(id)", "|", ";"]],
    [`"a | b; c > d"`, ["a | b; c > d"]],
    [`"\\$HOME" \\$HOME cost=$5`, ["$HOME", "$HOME", "cost=$5"]],
    ["a#b *.js ~/x {a,b}", ["a#b", "*.js", "~/x", "{a,b}"]],
    ["", []],
  ])("%j is %j", (command, words) => {
    expect(splitWords(command)).toEqual(words);
  });

  it.each([
    ["a | b", "joins commands"],
    ["a && b", "joins commands"],
    ["a; b", "joins commands"],
    ["a\nb", "joins commands"],
    ["a & b", "joins commands"],
    ["a > b", "redirects files"],
    ["a $(id)", "runs another command"],
    ["a `id`", "runs another command"],
    ['a "x $(id)"', "runs another command"],
    ['a "`id`"', "runs another command"],
    ["a $HOME", "reads a variable"],
    ['"$' + '{HOME}"', "reads a variable"],
    ["'a", "unclosed"],
    ['"a', "unclosed"],
    ["a \\", "backslash"],
  ])("%j is refused: it %s", (command, why) => {
    expect(() => splitWords(command)).toThrow(why);
    expect(() => splitWords(command)).toThrow(CliError);
  });
});
