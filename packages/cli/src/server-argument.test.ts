/** Arguments for a server, and their meaning. */
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ServerSettings } from "@vitrine/servers";
import { afterAll, describe, expect, it } from "vitest";
import { handedOn } from "./environment.js";
import { ServerArguments, type ServerOptions } from "./server-argument.js";

const cwd = realpathSync(mkdtempSync(join(tmpdir(), "vitrine-servers-")));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const env = { PATH: process.env["PATH"], HOME: cwd, API_KEY: "s3cret" };
const at = { cwd, home: cwd, env, platform: "linux" } as const;

function write(path: string, content: string | object): string {
  const file = join(cwd, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
}

function finder(options: ServerOptions = {}) {
  const notes: string[] = [];
  const trust = { isApproved: async () => true, approve: async () => {} };
  return { notes, servers: new ServerArguments(options, at, trust, (note) => notes.push(note)) };
}

/** The command that it would run. */
async function words(argument: string, options?: ServerOptions): Promise<unknown> {
  const { transport } = await finder(options).servers.findOne(argument);
  return transport.type === "stdio" ? [transport.command, ...transport.args] : transport.url;
}

const node = process.execPath;
write("server.js", "");
write("server.py", "");
write("server.ts", "");
write("notes.txt", "");
write("settings/mcp.json", { mcpServers: { one: { command: "x" }, two: { command: "y" } } });
write("by-mcp/package.json", { name: "@me/shop", mcp: "node 'my server.js' --stdio" });
write("by-bin/package.json", { name: "tool", bin: { other: "a.js", tool: "b.js" }, main: "c.js" });
write("by-bin/b.js", "");
write("unbuilt/package.json", { bin: "dist/main.js" });
write("empty/readme", "");
write("mute/package.json", { name: "mute" });
write("broken/package.json", "{");
chmodSync(write("program", "#!/bin/sh\n"), 0o755);
write("weather/package.json", { main: "index.js" });
write("weather/index.js", "");
const config = write(
  "config/mcp.json",
  `{
  "mcpServers": {
    "weather": { "command": "weather-server", "env": { "A": "1" } },
    "closed": { "command": "x", "isolation": "auto" },
    "key": { "command": "x", "env": { "K": "$` +
    `{NOT_SET}" } },
    "typo": { "comand": "x" },
    "twice": { "command": "x" },
    "twice": { "command": "y" }
  },
  "theirs": true
}`,
);

describe("a server is", () => {
  it.each<[string, unknown]>([
    ["https://example.com/mcp", "https://example.com/mcp"],
    ["http://localhost:3001/mcp", "http://localhost:3001/mcp"],
    ["server.js", [node, join(cwd, "server.js")]],
    ["./server.js", [node, join(cwd, "server.js")]],
    ["server.py", ["python3", join(cwd, "server.py")]],
    ["./program", [join(cwd, "program")]],
    ["node server.js --stdio", ["node", "server.js", "--stdio"]],
    ["sh", ["sh"]],
    ["./by-mcp", ["node", "my server.js", "--stdio"]],
    ["by-bin/", [node, join(cwd, "by-bin/b.js")]],
    ["./weather", [node, join(cwd, "weather/index.js")]],
    ["lab", [node, expect.stringMatching(/demos[\\/]lab\.[jt]s$/)]],
  ])("%s", async (argument, expected) => {
    expect(await words(argument)).toEqual(expected);
  });

  it("a name of the settings file rather than a folder with the same name", async () => {
    expect(await words("weather", { config })).toEqual(["weather-server"]);
    expect(await words("./weather", { config })).toEqual([node, join(cwd, "weather/index.js")]);
  });

  it("attack E04: a demo by its name, whatever is in the folder", async () => {
    const demo = [node, expect.stringMatching(/demos[\\/]weather\.[jt]s$/)];
    const found = write(".mcp.json", { mcpServers: { weather: { command: "evil" } } });
    try {
      expect(await words("weather")).toEqual(demo);
      const { notes, servers } = finder();
      await servers.findOne("weather");
      expect(notes).toEqual([
        "weather is the demo; write ./weather for what is in this folder",
        "weather is the demo; add --config .mcp.json for the server of that file",
      ]);
    } finally {
      rmSync(found);
    }
  });

  it("a folder with a settings file: all servers of it", async () => {
    const names = (await finder().servers.find("settings")).map(({ name }) => name);
    expect(names).toEqual(["one", "two"]);
    await expect(finder().servers.findOne("settings")).rejects.toThrow("2 servers (one, two)");
  });

  it.each([
    ["", "give a server"],
    ["server.ts", "build it and use the .js file"],
    ["notes.txt", "chmod +x"],
    ["empty", "no mcp.json and no package.json"],
    ["mute", 'add "mcp"'],
    ["broken", "is not a JSON object"],
    ["unbuilt", "build the package first"],
    ["config/mcp.json", "--config"],
    ["nobody", 'there is no server "nobody"'],
    ["./nobody", "no file, folder or program ./nobody"],
    ["a | b", "no shell is run"],
    ["ftp://example.com", "https://"],
    ["http://example.com/mcp", "must be https"],
  ])("not %j: %s", async (argument, sentence) => {
    await expect(finder().servers.findOne(argument)).rejects.toThrow(sentence);
  });

  it("suggested for a similar name", async () => {
    await expect(finder({ config }).servers.findOne("wether")).rejects.toThrow('did you mean "weather"?');
  });
});

describe("the settings file", () => {
  it("is used by name, and an invalid server does not affect the others", async () => {
    const { servers, notes } = finder({ config });
    expect((await servers.findOne("weather")).name).toBe("weather");
    expect(notes[0]).toBe(`settings: ${config}`);
    expect(notes.slice(1)).toEqual([
      `${config}:10: theirs: unknown setting, ignored; remove it, unless another program needs it`,
      expect.stringMatching(
        /mcp\.json:5: mcpServers\.key\.env\.K: .* not set; set it, .* \(key is left out\)$/,
      ),
      `${config}:6: mcpServers.typo: has no command and no url; did you mean "command"? (typo is left out)`,
      `${config}:8: mcpServers.twice: this name is used twice; rename one of them (twice is left out)`,
    ]);
    await expect(servers.findOne("key")).rejects.toThrow("NOT_SET is not set");
    await expect(servers.findOne("twice")).rejects.toThrow("used twice");
  });

  it("is untrusted: names in it are escaped", async () => {
    const name = "a\u001b]0;x\u0007\u009b2J\nready";
    const hostile = write("hostile.json", { mcpServers: { [name]: { command: "x" } } });
    const { servers, notes } = finder({ config: hostile });
    await servers.config();
    expect(notes).toHaveLength(2);
    expect(notes[1]).toContain("(a\\u{1b}]0;x\\u{7}\\u{9b}2J ready is left out");
    expect(notes[1]).not.toMatch(/\p{Cc}/u);
  });

  it("is not read for an argument that is not a name", async () => {
    const { servers } = finder({ config: "nowhere.json" });
    await servers.findOne("./server.js");
    await expect(servers.findOne("name")).rejects.toThrow("nowhere.json");
  });
});

describe("a program", () => {
  const transport = ({ transport: found }: ServerSettings) => (found.type === "stdio" ? found : undefined);

  it("gets the necessary environment variables, the added ones, and nothing else", async () => {
    const plain = transport(await finder().servers.findOne("server.js"));
    expect(plain?.env).toEqual({ PATH: env.PATH, HOME: cwd });
    const added = transport(await finder({ env: ["API_KEY", "A=b=c"] }).servers.findOne("server.js"));
    expect(added?.env).toEqual({ PATH: env.PATH, HOME: cwd, API_KEY: "s3cret", A: "b=c" });
    for (const [word, sentence] of [
      ["NOT_SET", "not set"],
      ["1=2", "NAME=VALUE"],
    ] as const)
      await expect(finder({ env: [word] }).servers.findOne("server.js")).rejects.toThrow(sentence);
  });

  it("gets no credentials of tools", async () => {
    const names =
      "UV_PUBLISH_TOKEN UV_PUBLISH_PASSWORD UV_INDEX_MINE_PASSWORD UV_INDEX_MINE_USERNAME UV_INDEX_URL LC_SECRET";
    const needed = { UV_CACHE_DIR: "/x", UV_PYTHON: "3.12", LC_ALL: "C", npm_config_cache: "/y" };
    const secret = Object.fromEntries(names.split(" ").map((name) => [name, "s3cret"]));
    expect(handedOn({ ...secret, ...needed })).toEqual(needed);
  });

  it("of a settings file or a folder gets the user's additions too, which override the file", async () => {
    const options = { config, env: ["A=2", "API_KEY"] };
    const added = { A: "2", API_KEY: "s3cret" };
    for (const name of ["weather", "closed"])
      expect(transport(await finder(options).servers.findOne(name))?.env).toMatchObject(added);
    const [one] = await finder(options).servers.find("./settings");
    expect(one && transport(one)?.env).toMatchObject(added);
    await expect(finder({ config, env: ["NOT_SET"] }).servers.findOne("weather")).rejects.toThrow("not set");
  });

  it("runs as the user, unless the user or the file wants it sandboxed", async () => {
    const driver = async (argument: string, options: ServerOptions) =>
      transport(await finder(options).servers.findOne(argument))?.isolation.driver;
    expect(await driver("server.js", {})).toBe("process");
    expect(await driver("server.js", { strict: true })).toBe("auto");
    expect(await driver("weather", { config })).toBe("process");
    expect(await driver("closed", { config })).toBe("auto");
    const named = transport(await finder({ config }).servers.findOne("weather"));
    expect(named?.env).toEqual({ PATH: env.PATH, HOME: cwd, A: "1" });
    expect(transport(await finder({ config }).servers.findOne("closed"))?.env).toEqual({});
  });

  it("has a name that no other has", async () => {
    const { servers } = finder();
    const names = [];
    for (const argument of ["./by-mcp", "node server.js", "node server.js"])
      names.push((await servers.findOne(argument)).name);
    expect(names).toEqual(["shop", "server", "server-2"]);
  });
});
