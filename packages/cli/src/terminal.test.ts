import { PassThrough } from "node:stream";
import { VitrineError } from "@vitrine/protocol";
import { describe, expect, it, vi } from "vitest";
import { CliError, told } from "./exit.js";
import { table } from "./table.js";
import { printable, Terminal } from "./terminal.js";

function terminal(isTTY: boolean, env: NodeJS.ProcessEnv = {}) {
  const [out, err] = [0, 1].map(() =>
    Object.assign(new PassThrough({ encoding: "utf8" }), { isTTY, columns: 60 }),
  );
  if (!out || !err) throw new Error("no streams");
  const read = (stream: PassThrough) => String(stream.read() ?? "");
  return { terminal: new Terminal(out, err, env), out: () => read(out), err: () => read(err) };
}

describe("Terminal", () => {
  it("has colours only on a terminal, and never with NO_COLOR", () => {
    expect(terminal(true).terminal.red("x")).toContain("\u001b[31m");
    for (const { terminal: plain } of [
      terminal(false),
      terminal(true, { NO_COLOR: "1" }),
      terminal(true, { TERM: "dumb" }),
    ])
      expect([plain.red("x"), plain.bold("x"), plain.dim("x", "err")]).toEqual(["x", "x", "x"]);
  });

  it("prints an error as a sentence, with the last lines of the server's stderr", () => {
    const { terminal: plain, err, out } = terminal(false);
    const stderr = Array.from({ length: 30 }, (_, n) => `line ${n}\u001b[2J`).join("\n");
    plain.fail(new CliError("server-failed", "it does not start", { stderr }));
    const said = err();
    expect(said).toMatch(/^✗ it does not start\n {2}its stderr, last lines:\n/);
    expect(said).toContain("│ line 29\\u{1b}[2J");
    expect(said).not.toContain("line 17");
    expect(said).not.toContain("\u001b");
    expect(out()).toBe("");
  });

  it("animates a line on a terminal and removes it; elsewhere it prints only slow steps", () => {
    vi.useFakeTimers();
    try {
      const [watched, piped, quick] = [terminal(true), terminal(false), terminal(false)];
      const waits = [watched, piped].map((each) => each.terminal.waiting("starting\u001b[31m x"));
      quick.terminal.waiting("quick").end();
      vi.advanceTimersByTime(3100);
      watched.terminal.note("a line between");
      for (const wait of waits) wait.say("calling");
      for (const wait of waits) wait.end();
      vi.advanceTimersByTime(10_000);
      const seen = watched.err();
      expect(seen).toContain("starting\\u{1b}[31m x…");
      expect(seen.split("\n").at(-1)).toBe("");
      expect(seen).toContain("\r\u001b[Ka line between\n");
      expect(piped.err()).toBe("starting\\u{1b}[31m x…\ncalling…\n");
      expect(quick.err()).toBe("");
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("output of servers", () => {
  it("is shown, and never obeyed", () => {
    expect(printable("a\u001b]0;x\u0007\r\nb\tc\u009b\u202e")).toBe(
      "a\\u{1b}]0;x\\u{7}\nb\tc\\u{9b}\\u{202e}",
    );
  });

  it("is shown and never executed, in all output for users, beside our own colours", () => {
    const [watched, piped] = [terminal(true), terminal(false)];
    const hostile = "a\u001b[2J\u009b1m\u007f\u001b[8mb";
    const shown = "a\\u{1b}[2J\\u{9b}1m\\u{7f}\\u{1b}[8mb";
    watched.terminal.print(`${watched.terminal.green("✓")} ${hostile}`);
    expect(watched.out()).toBe(`\u001b[32m✓\u001b[39m ${shown}\n`);
    watched.terminal.note(watched.terminal.dim(`${hostile}\u001b[31m`, "err"));
    expect(watched.err()).toBe(`\u001b[2m${shown}\\u{1b}[31m\u001b[22m\n`);
    piped.terminal.note(`${hostile}\u001b[31m`);
    expect(piped.err()).toBe(`${shown}\\u{1b}[31m\n`);
    // A pipe often ends on a terminal.
    piped.terminal.print(hostile);
    expect(piped.out()).toBe(`${shown}\n`);
    piped.terminal.exact(hostile);
    expect(piped.out()).toBe(`${hostile}\n`);
  });

  it.each([true, false])(
    "is the same JSON, without a character that a terminal obeys: on one %s",
    (isTTY) => {
      const value = { "a\u009b": "\u007f\u0085\u202e\u001b\n東" };
      const { terminal: printer, out } = terminal(isTTY);
      printer.json(value);
      const text = out();
      expect(JSON.parse(text)).toEqual(value);
      expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202e]/u);
    },
  );

  it("is no error code, unless it is a word", () => {
    const codes = ["server-failed", 7, "a\u001b[2J", "a b", { toString: 1 }, undefined].map(
      (code) => told(new VitrineError(-32000, "no", { data: { code } }))?.code,
    );
    expect(codes).toEqual(["server-failed", "7", "-32000", "-32000", "-32000", "-32000"]);
  });

  it("has columns, cut to the width of the window", () => {
    const rows = [
      ["NAME", "WHAT"],
      ["long-name", "one\ntwo\u001b[31m"],
      ["東京", "x".repeat(100)],
    ];
    expect(table(rows)).toEqual([
      "NAME       WHAT",
      "long-name  one two\\u{1b}[31m",
      `東京       ${"x".repeat(100)}`,
    ]);
    expect(table(rows, 40).at(-1)).toBe(`東京       ${"x".repeat(27)}…`);
    expect(table([])).toEqual([]);
  });
});
