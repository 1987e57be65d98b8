/** The commands with good and bad servers. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type CliError, told } from "../exit.js";
import { Terminal } from "../terminal.js";
import { type CallCommandOptions, callCommand } from "./call.js";
import { devCommand } from "./dev.js";
import type { PlainOptions } from "./plain.js";
import { resourcesCommand } from "./resources.js";
import { serveCommand } from "./serve.js";
import { toolsCommand } from "./tools.js";

const at = (path: string): string => fileURLToPath(new URL(`../../../../${path}`, import.meta.url));
const BAD = `node ${at("testing/cli/bad-server.mjs")}`;
const GOOD = `node ${at("node_modules/@modelcontextprotocol/server-basic-vanillajs/dist/index.js")} --stdio`;

const folder = mkdtempSync(join(tmpdir(), "vitrine-commands-"));
// Ignores the settings of the user who runs the tests.
beforeAll(() => void vi.stubEnv("HOME", folder).stubEnv("XDG_CONFIG_HOME", folder));
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a command with its own streams; returns its exit code and output. */
async function run(command: (terminal: Terminal) => Promise<number>) {
  const [out, err] = [new PassThrough(), new PassThrough()];
  const [code] = await Promise.all([
    command(new Terminal(out, err)).finally(() => void [out.end(), err.end()]),
  ]);
  return { code, out: await text(out), err: await text(err) };
}

const tools = (server: string, options: PlainOptions = {}) =>
  run((terminal) => toolsCommand(server, options, terminal));
const resources = (server: string, uri?: string) =>
  run((terminal) => resourcesCommand(server, uri, {}, terminal));
const call = (server: string, tool: string, words: string[] = [], options: CallCommandOptions = {}) =>
  run((terminal) => callCommand(server, tool, words, options, terminal));

/** Why a command failed. */
async function failure(command: Promise<unknown>): Promise<CliError> {
  const error = await command.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  const known = told(error);
  if (known) return known;
  throw new Error("it did not fail in words", { cause: error });
}

describe("tools and resources", () => {
  it("list the contents of an official server, for users and for programs", async () => {
    const [table, all, list, read] = await Promise.all([
      tools(GOOD),
      tools(GOOD, { json: true }),
      resources(GOOD),
      resources(GOOD, "ui://get-time/mcp-app.html"),
    ]);
    expect(table.code).toBe(0);
    expect(table.out).toMatch(/^TOOL +SHOWS +DESCRIPTION\nget-time +app +Returns/);
    expect(JSON.parse(all.out)).toMatchObject({
      server: { name: expect.any(String), version: expect.any(String) },
      tools: [{ name: "get-time", inputSchema: expect.any(Object) }],
    });
    expect(list.out).toContain("ui://get-time/mcp-app.html  text/html;profile=mcp-app");
    expect(read.out).toMatch(/<!doctype html>/i);
  });

  it("warn about a working server that prints non-protocol lines", async () => {
    const { code, out, err } = await tools(`${BAD} banner`, { json: true });
    expect([code, JSON.parse(out).tools.length]).toEqual([0, 8]);
    expect(err).toContain('printed a line that is not a message: "Welcome!"');
  });

  it("escape a server's control characters", async () => {
    const { out } = await tools(BAD);
    expect(out).toContain("what echo does\\u{1b}[31m");
    expect(out).not.toContain("\u001b");
  });
});

describe("call", () => {
  it("takes arguments as words, and prints the result of a tool that failed as JSON", async () => {
    const [said, failed] = await Promise.all([
      call(BAD, "echo", ["text=5", "count=5"]),
      call(BAD, "fail", [], { json: true }),
    ]);
    expect(said).toMatchObject({ code: 0, out: '{"text":"5","count":5}\n' });
    expect(failed.code).toBe(1);
    expect(JSON.parse(failed.out)).toEqual({
      content: [{ type: "text", text: "the city is unknown" }],
      isError: true,
    });
  });

  it("prints no raw control character into a pipe, and the exact value as JSON", async () => {
    const [plain, exact] = await Promise.all([call(BAD, "escape"), call(BAD, "escape", [], { json: true })]);
    expect(plain.out).toBe("a\\u{1b}]0;title\\u{7}b\n");
    expect(JSON.parse(exact.out).content[0].text).toBe("a\u001b]0;title\u0007b");
  });

  it("passes on the necessary environment variables, and the added ones", async () => {
    vi.stubEnv("API_KEY", "s3cret");
    const { out } = await call(BAD, "environment", [], { env: ["A=1"] });
    expect(JSON.parse(out)).toMatchObject({ A: "1", HOME: folder });
    expect(out).not.toContain("s3cret");
  });
});

describe("a single error message for", () => {
  it.each<[string, () => Promise<unknown>, string, RegExp]>([
    ["an unknown tool", () => call(BAD, "ecko"), "tool-unknown", /no tool "ecko"; did you mean "echo"\?/],
    ["an unknown server", () => tools("nobody"), "server-unknown", /there is no server "nobody"/],
    [
      "a server that prints garbage",
      () => tools(`${BAD} garbage`, { timeout: 1500 }),
      "server-failed",
      /within 1500 ms.* lines that are not messages, such as "Listening on http.*": make it write such lines to stderr$/,
    ],
    ["a server that exits at once", () => tools(`${BAD} exits`), "server-failed", /ended with code 3$/],
    [
      "a server that exits silently",
      () => tools(`${BAD} quits`),
      "server-failed",
      /ended with code 4: run it by itself to see why$/,
    ],
    [
      "a server that never answers",
      () => tools(`${BAD} silent`, { timeout: 1500 }),
      "server-failed",
      /within 1500 ms: check that it speaks MCP over stdin and stdout, or raise --timeout$/,
    ],
    [
      "a call that hangs",
      () => call(BAD, "sleep", [], { timeout: 1500 }),
      "timeout",
      /within 1\.5 s.*--timeout/,
    ],
    ["a server that exits in a call", () => call(BAD, "exit"), "server-exited", /ended with code 7/],
    ["a handshake of 100 MB", () => tools(`${BAD} huge`), "server-too-large", /more than 64000000 bytes/],
    [
      "a result of 100 MB",
      () => call(BAD, "huge"),
      "server-too-large",
      /more than 64000000 bytes: make the server send less, or raise limits\.message in a settings file; .*may have run/,
    ],
    [
      "arguments in a folder",
      () => call(BAD, "echo", [], { args: `@${folder}` }),
      "arguments-invalid",
      /it is a folder; choose a file$/,
    ],
    [
      "an argument of another kind",
      () => call(BAD, "echo", ["count=many"]),
      "arguments-invalid",
      /of type integer; write it as JSON$/,
    ],
    [
      "an argument that is missing",
      () => call(BAD, "strict"),
      "arguments-invalid",
      /^strict: the arguments must have required property 'city'; write them as key=value, or all of them with --args$/,
    ],
    [
      "an argument of another type",
      () => call(BAD, "strict", [], { args: '{"city": 3}' }),
      "arguments-invalid",
      /^strict: the arguments\/city must be string; write/,
    ],
    [
      "no such program",
      () => tools("no-such-program --stdio"),
      "server-failed",
      /no program "no-such-program"/,
    ],
    [
      "a port where nobody is",
      () => tools("http://127.0.0.1:9/mcp"),
      "server-failed",
      /could not be reached/,
    ],
  ])("%s", async (_what, act, code, sentence) => {
    const error = await failure(act());
    expect(error).toMatchObject({ code, exit: 1, message: expect.stringMatching(sentence) });
    expect(error.message).not.toContain("\n");
  });

  it.each([
    ['{"a": }', /not JSON: line 1, column 7/],
    ["{", /^--args is not JSON: .*; /],
    ["[1]", /an object, such as/],
  ])("a wrong command line: --args %s", async (args, sentence) => {
    const error = await failure(call("nobody", "echo", [], { args }));
    expect(error).toMatchObject({
      code: "arguments-invalid",
      exit: 2,
      message: expect.stringMatching(sentence),
    });
    expect(error.message).not.toContain("\n");
  });

  it("a server that exits, with its last output", async () => {
    const [atOnce, later] = await Promise.all([failure(tools(`${BAD} exits`)), failure(call(BAD, "exit"))]);
    expect([atOnce.stderr, later.stderr]).toEqual(["no API key: set API_KEY\n", "out of luck\n"]);
  });

  it("no page, and no settings for others", async () => {
    const terminal = new Terminal(new PassThrough(), new PassThrough());
    const nowhere = { static: join(folder, "nowhere") };
    expect((await failure(devCommand([BAD], nowhere, terminal))).code).toBe("page-missing");
    expect(() => serveCommand({}, terminal)).toThrow("--config");
  });
});

describe("a settings file with mistakes", () => {
  const [command, ...args] = BAD.split(" ");
  const file = join(folder, "settings.json");
  writeFileSync(
    file,
    `{ "mcpServers": {
      "good": ${JSON.stringify({ command, args })},
      "typo": { "command": "x", "arg": [] },
      "key": { "command": "x", "env": { "KEY": "$\{NOT_SET}" } },
      "twice": { "command": "x" },
      "twice": { "command": "y" }
    } }`,
  );

  it("does not affect other servers, and each mistake is one message with its line", async () => {
    const { code, out, err } = await call("good", "echo", ["text=x"], { config: file });
    expect({ code, out }).toEqual({ code: 0, out: '{"text":"x"}\n' });
    expect(err.split("\n").filter((line) => line.startsWith(file))).toEqual([
      `${file}:3: mcpServers.typo.arg: unknown setting; did you mean "args"? (typo is left out)`,
      `${file}:4: mcpServers.key.env.KEY: the environment variable NOT_SET is not set; set it, or write $\{NOT_SET:-default} (key is left out)`,
      `${file}:6: mcpServers.twice: this name is used twice; rename one of them (twice is left out)`,
    ]);
    expect((await failure(tools("x", { config: join(folder, "no.json") }))).message).toContain(
      "does not exist",
    );
  });

  it.each([
    ["typo", 3],
    ["key", 4],
    ["twice", 6],
  ])("is an error for a request of %s, and reported once", async (name, line) => {
    const err = new PassThrough();
    const terminal = new Terminal(new PassThrough(), err);
    const error = await failure(toolsCommand(name, { config: file }, terminal));
    expect(error).toMatchObject({ code: "config-invalid", exit: 1 });
    expect(error.message).toMatch(new RegExp(`^${file}:${line}: mcpServers\\.${name}.*; `));
    err.end();
    expect(await text(err)).not.toContain(`mcpServers.${name}`);
  });

  const broken = join(folder, "broken.json");
  writeFileSync(broken, '{ "mcpServers": { "a": 1 "b": 2 } }');
  it.each<[string, string[], string | undefined, string, number, RegExp]>([
    ["an unknown server", ["nobody"], file, "server-unknown", 1, /there is no server "nobody".* has good$/],
    ["one with a mistake", ["typo"], file, "config-invalid", 1, /settings\.json:3: .*did you mean "args"\?$/],
    ["one server twice", ["good", "good"], file, "usage", 2, /two servers are named "good"/],
    [
      "a file that is no JSON",
      [],
      broken,
      "config-invalid",
      1,
      /broken\.json:1:26: a "," is missing here; add it$/,
    ],
    ["no such file", [], join(folder, "no.json"), "config-invalid", 1, /no\.json: the file does not exist; /],
  ])("vitrine dev: %s is one message", async (_what, names, config, code, exit, sentence) => {
    writeFileSync(join(folder, "index.html"), "");
    const terminal = new Terminal(new PassThrough(), new PassThrough());
    const error = await failure(devCommand(names, { config, static: folder, port: 0 }, terminal));
    expect(error).toMatchObject({ code, exit, message: expect.stringMatching(sentence) });
    expect(error.message).not.toContain("\n");
  });

  it("is refused as a whole by serve", async () => {
    writeFileSync(join(folder, "index.html"), "");
    const terminal = new Terminal(new PassThrough(), new PassThrough());
    const error = await failure(serveCommand({ config: file, static: folder, port: 0 }, terminal));
    expect(error).toMatchObject({ code: "config-invalid", message: expect.stringContaining(`${file}:6:`) });
  });
});
