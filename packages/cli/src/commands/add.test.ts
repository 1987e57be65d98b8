/** `vitrine add`, `remove` and `list`, as a user runs them. */
import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";

const MAIN = fileURLToPath(new URL("../../dist/main.js", import.meta.url));

let home = "";
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "vitrine-add-"));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const own = (): string => join(home, ".config", "vitrine", "mcp.json");
const run = (...words: string[]): Promise<{ code: number; out: string; err: string }> =>
  new Promise((resolve) => {
    execFile(
      process.execPath,
      [MAIN, ...words],
      { cwd: home, env: { PATH: process.env["PATH"], HOME: home } },
      (error, out, err) => resolve({ code: Number(error?.code ?? 0), out, err }),
    );
  });

it("adds a command and an address to the user's own file, lists and removes them", async () => {
  const added = await run(
    "add",
    "notes",
    "--env",
    "MODE=fast",
    "--env",
    "TOKEN",
    "--",
    "node",
    "notes.js",
    "--json",
  );
  expect(added).toMatchObject({ code: 0, out: expect.stringContaining(own()) });
  // The variable of the user who runs Vitrine, which is not set here.
  expect(added.err).toContain("the environment variable TOKEN is not set");
  expect(await run("add", "lab", "https://lab.example/mcp", "--header", "X-Team: blue")).toMatchObject({
    code: 0,
  });
  expect((await stat(own())).mode & 0o777).toBe(0o600);
  expect(JSON.parse(await readFile(own(), "utf8"))).toEqual({
    mcpServers: {
      notes: {
        command: "node",
        args: ["notes.js", "--json"],
        // Where the user is, and not beside the settings file.
        cwd: home,
        env: { MODE: "fast", TOKEN: "$" + "{TOKEN}" },
      },
      lab: { url: "https://lab.example/mcp", headers: { "X-Team": "blue" } },
    },
  });
  const { out } = await run("list");
  expect(out).toBe('notes: runs "node" "notes.js" "--json"\nlab: connects to "https://lab.example/mcp"\n');
  const listed = JSON.parse((await run("list", "--json")).out);
  expect(JSON.stringify(listed)).not.toMatch(/blue|fast/);
  expect(await run("remove", "notes")).toMatchObject({ code: 0 });
  expect(Object.keys(JSON.parse(await readFile(own(), "utf8")).mcpServers)).toEqual(["lab"]);
});

it("keeps comments, and the keys that it does not describe", async () => {
  const file = join(home, "mcp.json");
  await writeFile(
    file,
    '{\n  "servers": {\n    // mine\n    "lab": { "url": "https://a.example", "policy": { "tools/call": "deny" } }\n  }\n}\n',
  );
  await chmod(file, 0o640);
  expect(await run("add", "lab", "https://b.example", "--config", file)).toMatchObject({ code: 1 });
  await run("add", "--replace", "lab", "https://b.example", "--config", file);
  await run(
    "add",
    "new",
    "--config",
    file,
    "--isolation",
    "bubblewrap",
    "--no-network",
    "--read",
    "maps",
    "--",
    "x",
  );
  expect(await readFile(file, "utf8")).toContain(
    '// mine\n    "lab": { "url": "https://b.example", "policy"',
  );
  expect(JSON.parse((await readFile(file, "utf8")).replace("// mine", "")).servers.new).toEqual({
    command: "x",
    isolation: { driver: "bubblewrap", network: false, read: [join(home, "maps")] },
  });
  expect((await stat(file)).mode & 0o777).toBe(0o640);
});

it("refuses what would not work, and files of other programs", async () => {
  const cursor = join(home, ".cursor", "mcp.json");
  await mkdir(join(home, ".cursor"));
  await writeFile(cursor, "{}");
  for (const [words, message] of [
    [["add", "a"], "give an address, or a command after --"],
    [["add", "a b", "https://a.example"], "is not a valid name"],
    [["add", "a", "http://a.example"], "must be https"],
    [["add", "a", "https://a.example", "--env", "A=1"], "are for commands"],
    [["add", "a", "--header", "A: 1", "--", "x"], "are for addresses"],
    [["add", "a", "--isolation", "none", "--", "x"], "isolation.driver"],
    [["add", "a", "https://a.example", "--config", cursor], "belongs to another program"],
    [["remove", "a"], "has no server a"],
  ] as [string[], string][]) {
    const { code, err } = await run(...words);
    expect([code > 0, err], words.join(" ")).toEqual([true, expect.stringContaining(message)]);
  }
  expect(await readFile(cursor, "utf8")).toBe("{}");
});
