import { execFileSync } from "node:child_process";
import { Command } from "commander";
import fc from "fast-check";
import { expect, it } from "vitest";
import { collect } from "../options.js";
import { addLine, type EntryOptions, entryOfLine } from "./add-line.js";

/** The words that a shell makes of a line. */
const shell = (line: string): string[] =>
  execFileSync("sh", ["-c", `printf '%s\\0' ${line}`], { encoding: "utf8" })
    .split("\0")
    .slice(0, -1);

/** The entry of a line, as `vitrine add` reads it. */
function readLine(words: readonly string[]): { name: string; entry: object } {
  let read: { name: string; entry: object } | undefined;
  const program = new Command("vitrine").exitOverride();
  program
    .command("add <name> [words...]")
    .option("--replace")
    .option("--config <file>")
    .option("--env <name>", "", collect)
    .option("--header <name>", "", collect)
    .option("--cwd <folder>")
    .option("--isolation <driver>")
    .option("--image <name>")
    .option("--network")
    .option("--no-network")
    .option("--read <path>", "", collect)
    .option("--write <path>", "", collect)
    .option("--sse")
    .option("--private-network")
    .action((name: string, rest: string[], options: EntryOptions) => {
      read = { name, entry: entryOfLine(rest, options) };
    });
  program.parse(words.slice(1), { from: "user" });
  if (!read) throw new Error("not read");
  return read;
}

const isWord = (word: string): boolean => !word.startsWith("-");

it("the line of a command, pasted into a shell, is that command", () => {
  const word = fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 12 });
  const entry = fc.record(
    {
      command: word.filter((each) => !/^https?:/i.test(each) && isWord(each)),
      args: fc.array(word, { minLength: 1, maxLength: 4 }),
      env: fc.dictionary(fc.constantFrom("A", "B_1"), word, { minKeys: 1, maxKeys: 2 }),
      isolation: fc.record({ driver: fc.constantFrom("auto", "process"), network: fc.boolean() }),
    },
    { requiredKeys: ["command"] },
  );
  fc.assert(
    fc.property(entry, (written) => {
      const line = addLine("tool", written, {});
      if (line === undefined) return;
      expect(readLine(shell(line))).toEqual({ name: "tool", entry: written });
    }),
    { numRuns: 60 },
  );
});

it("the line of an address is that address", () => {
  const entry = { url: "https://a.example/mcp?x=1&y='2'", headers: { "X-A": "it's $HOME" }, type: "sse" };
  const line = addLine("a", entry, { config: "/tmp/my file.json", replaces: true });
  expect(line).toContain("--config '/tmp/my file.json'");
  expect(readLine(shell(line ?? ""))).toEqual({ name: "a", entry });
});

it("the line for a clone goes to its folder first", () => {
  const own = { words: ["npx", "vitrine"], folder: "/home/ana/my clone" };
  expect(addLine("tool", { command: "node" }, { own })).toBe(
    "cd '/home/ana/my clone' && npx vitrine add tool -- node",
  );
  expect(addLine("tool", { command: "node" }, { own: { ...own, folder: "/a\u202eb" } })).toBeUndefined();
});

it("attack: there is no line for characters that nobody sees, or for what a line cannot say", () => {
  for (const word of ["a\nb", "a\u001b[2Kb", "a\u202eb", "a\rb", "a\tb", "a\u0000b"])
    expect(addLine("a", { command: "echo", args: [word] }, {}), JSON.stringify(word)).toBeUndefined();
  expect(addLine("a", { command: "echo", policy: {} }, {})).toBeUndefined();
  expect(addLine("a", { command: "echo", isolation: { driver: "auto", memory: "1GB" } }, {})).toBeUndefined();
});
