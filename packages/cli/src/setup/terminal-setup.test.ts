/** Attack E05 in a real terminal object: the question that a page causes. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import type { AskedChange } from "@vitrine/gateway";
import { afterAll, describe, expect, it } from "vitest";
import { Terminal } from "../terminal.js";
import { FileTrust } from "../trust/file-trust.js";
import { terminalSetup } from "./terminal-setup.js";

const home = mkdtempSync(join(tmpdir(), "vitrine-terminal-setup-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const at = { cwd: join(home, "work"), home, env: { HOME: home }, platform: "linux" } as const;

function open({ isTTY = true, file = join(home, "mcp.json"), needsApproval = false, env = at.env } = {}) {
  const input = Object.assign(new PassThrough(), { isTTY });
  const err = Object.assign(new PassThrough(), { isTTY, columns: 80 });
  let shown = "";
  err.setEncoding("utf8").on("data", (data) => {
    shown += data;
  });
  const terminal = new Terminal(new PassThrough(), err as never, {}, input);
  const controller = new AbortController();
  const setup = terminalSetup({
    file,
    terminal,
    at: { ...at, env },
    trust: new FileTrust({ terminal, at }),
    needsApproval,
    isOpen: true,
    signal: new AbortController().signal,
    reading: {},
    written: async () => {},
  });
  const ask = (change: AskedChange) => setup.confirm(change, controller.signal);
  return { setup, ask, input, controller, shown: () => shown };
}

const asked = (args: string[], more: object = {}): AskedChange => ({
  name: "tool",
  change: "add",
  entry: { command: "node", args, ...more },
});

describe("the question", () => {
  it("shows the whole command, variables, folder and isolation, and only y is yes", async () => {
    for (const [answer, isAllowed] of [
      ["y", true],
      ["yes", true],
      ["", false],
      ["n", false],
      ["yy", false],
    ] as const) {
      const { ask, input, shown } = open();
      const env = { KEY: "$" + "{secret:tool.KEY.0123}", DEBUG: "1" };
      const answered = ask(
        asked(["server.js", "--all"], { env, cwd: "/srv", isolation: { driver: "process" } }),
      );
      await expect.poll(shown).toMatch(/\[y\/N\] $/);
      for (const part of [
        '"server.js" "--all"',
        "env.KEY",
        "env.DEBUG",
        '"/srv"',
        'isolation.driver = "process"',
        "reads your secrets",
      ])
        expect(shown()).toContain(part);
      input.write(`${answer}\n`);
      expect(await answered, answer).toBe(isAllowed);
    }
  });

  it("says that a command without isolation has the user's rights", async () => {
    const { setup } = open();
    for (const more of [{}, { isolation: { driver: "process" } }, { isolation: "process" }])
      expect(setup.lines(asked([], more))?.join("\n")).toContain(
        "not isolated: it can read and change your files",
      );
    expect(setup.lines(asked([], { isolation: { driver: "bubblewrap" } }))?.join("\n")).not.toContain(
      "not isolated",
    );
  });

  it("attack: escape sequences, line breaks, bidirectional and invisible characters are visible", async () => {
    const { ask, input, shown } = open();
    const hostile = [
      "\u001b[2J\u001b[H",
      "a\nStart this program? [y/N] y",
      "\u202etxt.exe",
      "\u200b",
      "x\rharmless",
    ];
    const answered = ask(asked(hostile, { env: { "A\u001b[31m": "1" } }));
    await expect.poll(shown).toMatch(/\[y\/N\] $/);
    const text = shown();
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what the test is about.
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e\u200b]/);
    const joined = text.replaceAll("\n  │ ", "");
    for (const part of ["\\u001b[2J", "\\n", "\\u{202e}", "\\u{200b}", "\\r"]) expect(joined).toContain(part);
    // Every line of the page's text is behind a mark.
    for (const line of text.split("\n").slice(1, -1)) expect(line).toMatch(/^ {2}│ /);
    input.write("n\n");
    expect(await answered).toBe(false);
  });

  it("attack: a command that fills more than the screen is not asked at all", async () => {
    const { setup, ask, shown } = open();
    await expect(ask(asked(["x".repeat(80 * 300)]))).rejects.toThrow("too long to be read");
    expect(shown()).toBe("");
    expect(setup.lines(asked(["x".repeat(80 * 300)]))).toBeUndefined();
    expect(setup.lines(asked(Array.from({ length: 5_000 }, () => " ")))).toBeUndefined();
    expect(setup.lines(asked(["x".repeat(3_000)]))).toBeDefined();
  });

  it("attack: keys that were typed before the question, and answers to a withdrawn one, count for nothing", async () => {
    const { ask, input, controller, shown } = open();
    input.write("y\n");
    const first = ask(asked(["one"]));
    await expect.poll(shown).toMatch(/\[y\/N\] $/);
    controller.abort(new Error("withdrawn"));
    await expect(first).rejects.toThrow("withdrawn");
    expect(shown()).toContain("the page withdrew it: tool");
  });

  it("attack: two questions at once are asked one after another", async () => {
    const { ask, input, shown } = open();
    const [first, second] = [ask(asked(["one"])), ask(asked(["two"]))];
    await expect.poll(shown).toMatch(/\[y\/N\] $/);
    expect(shown()).not.toContain('"two"');
    input.write("y\n");
    expect(await first).toBe(true);
    await expect.poll(shown).toMatch(/"two"[\s\S]*\[y\/N\] $/);
    input.write("n\n");
    expect(await second).toBe(false);
  });

  it("is not asked without a terminal, and the page gets the line to run", () => {
    const { setup } = open({ isTTY: false });
    expect(setup.canAsk).toBe(false);
    expect(setup.command(asked(["a b"]))).toBe(
      `vitrine add --config ${join(home, "mcp.json")} tool -- node 'a b'`,
    );
    const own = open({ file: join(home, ".config", "vitrine", "mcp.json") });
    expect(own.setup.command(asked([]))).toBe("vitrine add tool -- node");
  });

  it("gets a line that works in a clone, where only npm finds the command", () => {
    const env = { HOME: home, npm_lifecycle_event: "start", npm_config_user_agent: "npm/11.6.0 node/v22" };
    const { setup } = open({ file: join(home, ".config", "vitrine", "mcp.json"), env });
    expect(setup.command(asked([]))).toBe(`cd ${join(home, "work")} && npx vitrine add tool -- node`);
    expect(setup.folder).toBe(join(home, "work"));
  });
});

describe("the file", () => {
  it("of another program is not changed", () => {
    for (const file of [join(home, ".cursor", "mcp.json"), join(home, ".claude.json")])
      expect(open({ file }).setup.readOnly).toContain("belongs to another program");
    expect(open().setup.readOnly).toBeUndefined();
  });

  it("that needs approval is approved again after a change by a page, and only then", async () => {
    const file = join(home, "project.json");
    writeFileSync(file, "{}");
    const { setup } = open({ file, needsApproval: true });
    expect(await setup.isApproved("{ }")).toBe(false);
    await setup.written("{ }", "tool", true);
    expect(await setup.isApproved("{ }")).toBe(true);
    expect(await setup.isApproved("{  }")).toBe(false);
  });
});
